"""The tables of a store: making those of the models, what Peewee cannot declare, and steps from earlier versions."""
