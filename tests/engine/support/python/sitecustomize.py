"""
What the package `pulumi` and generated SDKs import and Debian 12 lacks: of OpenTelemetry the names, which do something
only where traces are recorded; the new name of a class of `semver`; the few lines of `parver` with which an SDK reads
its own version. Python loads this file at its start, for its directory is in PYTHONPATH.
"""

import sys
import types

import packaging.version
import semver


def provide(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, sys.modules[name])


class ReleaseVersion(packaging.version.Version):
    pre_tag = None

    @classmethod
    def parse(cls, text):
        return cls(text)


provide("parver", Version=ReleaseVersion)
provide("opentelemetry")
provide(
    "opentelemetry.context",
    Context=type("Context", (), {}),
    get_current=lambda: None,
    attach=lambda context: None,
    detach=lambda token: None,
)
provide("opentelemetry.propagate")
provide("opentelemetry.trace")
provide("opentelemetry.sdk")
provide("opentelemetry.sdk.trace", TracerProvider=type("TracerProvider", (), {}))
semver.Version = semver.VersionInfo
