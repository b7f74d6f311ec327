"""The tables of a store: their declarations for each engine, their migrations, and their classes for Peewee."""
