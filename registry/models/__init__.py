"""The tables of the public record. Nothing in here refers to a submission."""

from registry.models.catalogue import CatalogueLoad
from registry.models.demonstration import DemonstrationRun
from registry.models.editions import Edition, PublicWrite, RecordChange
from registry.models.erasures import Erasure
from registry.models.facts import Fact
from registry.models.identities import IdentityChange
from registry.models.lists import ListDefinition, ListEntry, Override, RankedList, RankRange
from registry.models.log import LogCheckpoint, LogKey, LogLeaf, LogOpening, LogState
from registry.models.releases import Release
from registry.models.reproductions import Reproduction
from registry.models.results import FAMILY_OR_TYPE, Measurement, Result, ResultFile
from registry.models.search import Fold, SearchText
from registry.models.sites import NAMED_FIRST, Platform, Site, System
from registry.models.snapshots import ObservedParameter, PublicSystemSnapshot
from registry.models.steps import RunVerdict, Step, StepsDue
from registry.models.studies import SavedStudy

__all__ = [
    "FAMILY_OR_TYPE",
    "NAMED_FIRST",
    "CatalogueLoad",
    "DemonstrationRun",
    "Edition",
    "Erasure",
    "Fact",
    "Fold",
    "IdentityChange",
    "ListDefinition",
    "ListEntry",
    "LogCheckpoint",
    "LogKey",
    "LogLeaf",
    "LogOpening",
    "LogState",
    "Measurement",
    "ObservedParameter",
    "Override",
    "Platform",
    "PublicSystemSnapshot",
    "PublicWrite",
    "RankRange",
    "RankedList",
    "RecordChange",
    "Release",
    "Reproduction",
    "Result",
    "ResultFile",
    "RunVerdict",
    "SavedStudy",
    "SearchText",
    "Site",
    "Step",
    "StepsDue",
    "System",
]
