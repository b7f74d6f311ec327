"""Images made by sitecms: smaller versions of pictures, and share images drawn from titles."""
