"""What merging and splitting refuse, each with a code that stays."""

from __future__ import annotations

from registry.errors import Problem


class IdentityRefused(Problem):
    status = 409
    code = "identity.refused"
    title = "These can't be merged or split so"
    hint = "Nothing was changed. Read the preview and choose again."


class NoReason(IdentityRefused):
    status = 422
    code = "identity.reason-needed"
    title = "An act on identities needs a reason"
    hint = "Say in `reason` what proves it. The reason is public."


class SameIdentity(IdentityRefused):
    code = "identity.same"
    title = "Both are the same already"
    hint = "Name two different slugs."


class AlreadyMerged(IdentityRefused):
    code = "identity.already-merged"
    title = "A former name can't be merged again"
    hint = "Name the slug that it leads to, or undo the act that merged it."


class PooledIdentity(IdentityRefused):
    code = "identity.pooled"
    title = "It stands for several institutions, which nobody may tell apart"
    hint = "Anonymous results and those without a printed institution stay where they are."


class OtherInstitution(IdentityRefused):
    code = "identity.other-institution"
    title = "The systems are of two institutions"
    hint = "Merge the institutions first, if they are one."


class PlatformsDiffer(IdentityRefused):
    code = "identity.platforms-differ"
    title = "The systems are built on two platforms"
    hint = "A storage system is of one platform: these are two, or a platform is wrong."


class GenerationBetween(IdentityRefused):
    code = "identity.generation-between"
    title = "Another platform lies between the two"
    hint = "It would come before and after what they become. Correct its predecessor first."


class TargetNotOnRecord(IdentityRefused):
    code = "identity.not-on-record"
    title = "No result stands under the name that is to remain"
    hint = "Merge the other way: the name that has results remains."


class SplitRefused(IdentityRefused):
    status = 422
    code = "identity.split-refused"
    title = "What is named can't be split off"
    hint = "Name some, and not all, of what stands there now; and either a new name or the slug of another one."


class ActUndone(IdentityRefused):
    code = "identity.undone"
    title = "The act was undone before"
    hint = "Merge or split again, with a reason of its own."


class PartOfAnAct(IdentityRefused):
    code = "identity.part"
    title = "It is a part of another act"
    hint = "Undo the whole act."


class InstitutionMerged(IdentityRefused):
    code = "identity.institution-merged"
    title = "The institution of the system that would return is a former name"
    hint = "Undo the merging of the institutions first."


class NamesakeStands(IdentityRefused):
    code = "identity.namesake"
    title = "A system of the same name stands there meanwhile"
    hint = "Merge the institutions instead: two systems of one name become one."


class NoAct(IdentityRefused):
    status = 404
    code = "identity.not-found"
    title = "There is no such act"
    hint = "GET identities/ has the acts."
