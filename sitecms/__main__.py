"""`python -m sitecms` is the `sitecms` command."""

from sitecms.cli.main import main

if __name__ == "__main__":
    main()
