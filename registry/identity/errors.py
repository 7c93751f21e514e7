"""What merging and splitting refuse, each with a code that stays."""

from __future__ import annotations

from registry.errors import Problem


class IdentityRefused(Problem):
    status = 409
    code = "identity.refused"
    title = "Merging or splitting is not possible"
    hint = "Nothing was changed. Read the preview and choose again."


class NoReason(IdentityRefused):
    status = 422
    code = "identity.reason-needed"
    title = "The reason is missing"
    hint = "Send in `reason` what proves it. The reason is public."


class SameIdentity(IdentityRefused):
    code = "identity.same"
    title = "Both names are the same"
    hint = "Name two different slugs."


class AlreadyMerged(IdentityRefused):
    code = "identity.already-merged"
    title = "A former name cannot be merged again"
    hint = "Name the slug that it leads to, or undo the act that merged it."


class PooledIdentity(IdentityRefused):
    code = "identity.pooled"
    title = "The name stands for several institutions"
    hint = "Anonymous results and those without a printed institution stay where they are."


class OtherInstitution(IdentityRefused):
    code = "identity.other-institution"
    title = "The systems belong to two institutions"
    hint = "Merge the institutions first, if they are one."


class PlatformsDiffer(IdentityRefused):
    code = "identity.platforms-differ"
    title = "The systems are built on two platforms"
    hint = "A storage system has one platform: these are two systems, or a platform is wrong."


class GenerationBetween(IdentityRefused):
    code = "identity.generation-between"
    title = "Another platform lies between the two"
    hint = "It would come before and after what they become. Correct its predecessor first."


class TargetNotOnRecord(IdentityRefused):
    code = "identity.not-on-record"
    title = "The name to keep has no result"
    hint = "Merge in the other direction: keep the name that has results."


class SplitRefused(IdentityRefused):
    status = 422
    code = "identity.split-refused"
    title = "The selection cannot be split off"
    hint = "Select some of the results, not all. Give a new name, or the slug of another entry."


class ActUndone(IdentityRefused):
    code = "identity.undone"
    title = "The act is already undone"
    hint = "Merge or split again, with a new reason."


class PartOfAnAct(IdentityRefused):
    code = "identity.part"
    title = "This is part of another act"
    hint = "Undo the whole act."


class InstitutionMerged(IdentityRefused):
    code = "identity.institution-merged"
    title = "The institution of the returning system is a former name"
    hint = "Undo the merge of the institutions first."


class NamesakeStands(IdentityRefused):
    code = "identity.namesake"
    title = "The institution has another system of this name"
    hint = "Merge the institutions instead: two systems of one name become one."


class NoAct(IdentityRefused):
    status = 404
    code = "identity.not-found"
    title = "Unknown act"
    hint = "GET identities/ lists the acts."
