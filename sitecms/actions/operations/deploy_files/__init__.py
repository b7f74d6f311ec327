"""Configuration files for programs that run a site: nginx, systemd, containers; made from the site's settings."""

from sitecms.actions.operations.deploy_files.container import container_files
from sitecms.actions.operations.deploy_files.deploy_file import DeployFile, guide
from sitecms.actions.operations.deploy_files.nginx import NginxPlan, nginx_files
from sitecms.actions.operations.deploy_files.systemd import SystemdPlan, systemd_files

__all__ = ["DeployFile", "NginxPlan", "SystemdPlan", "container_files", "guide", "nginx_files", "systemd_files"]
