"""HTTP requests to hosts that strangers name: public addresses only, within limits of time and bytes.

The package imports nothing of sitecms.
"""
