"""Background work by Huey: tasks, queue and worker. The only importer of Huey."""
