"""Every refusal of this app, with the code that clients may hold on to.

Problem (registry.errors)
├── IntakeRefused            what was sent can't be taken
│   ├── NoBundle                 intake.no-bundle
│   ├── EmptyBundle              intake.empty-bundle
│   ├── TooLarge                 bundle.too-large
│   ├── HoldsSecret              bundle.secret
│   ├── NoSha256                 intake.sha256-missing
│   ├── BadSha256                intake.sha256-malformed
│   ├── WrongSha256              intake.sha256-mismatch
│   ├── BadSignature             intake.signature-malformed
│   ├── BadMetadata              intake.metadata-invalid
│   ├── UnknownRelease           intake.unknown-release
│   └── UnknownList              intake.unknown-list
├── Unavailable              our side can't at the moment; try again (Retry-After)
│   ├── StorageFull              storage.full
│   ├── StorageUnavailable       storage.unavailable
│   ├── DatabaseUnavailable      database.unavailable (registry.errors)
│   ├── DatabaseTimeout          database.timeout (registry.errors)
│   ├── MailUnavailable          mail.unavailable
│   └── NoWorker                 check.unavailable
├── CheckTimeout             check.timeout
├── NotFound                 submission.not-found: missing, or not for this account to see
├── NoSystem                 submission.no-system
├── Forbidden                permission.denied: seen, but not for this account to do
│   ├── NotYours                 permission.not-yours
│   ├── OutOfScope               permission.scope
│   ├── NotAdmin                 permission.not-admin
│   └── ConflictOfInterest       review.conflict-of-interest
├── StateConflict            state.conflict
├── DeadlinePassed           edit.deadline-passed
├── AlreadyRevised           revise.already
├── FilesOfRevision          revise.files
├── ReviewRefused            review.refused
│   ├── ReasonNeeded             review.reason-needed
│   ├── NoReviewer               review.not-a-reviewer
│   ├── NoSuchFinding            review.unknown-finding
│   ├── NothingToJudge           review.unknown-rule
│   └── CommentRefused           review.comment-refused
├── AnonymityRefused         anonymity.refused
│   ├── NamedAlready             anonymity.named-already
│   └── NothingAsked             anonymity.not-asked
├── FileRefused              what of an archive can't be shown
│   ├── NoSuchFile               files.not-found
│   ├── BinaryFile               files.binary
│   ├── UnreadableArchive        files.unreadable
│   ├── FileQuarantined          files.quarantined
│   └── FileGone                 files.gone
├── FileInUse                files.in-use
├── NoSuchVersion            files.no-version
├── LastFile                 files.last
├── TooManyFiles             files.too-many
├── SubmitRefused            what stands between a checked run and a release
│   ├── NotAcknowledged          submit.not-acknowledged
│   ├── ReleaseClosed            submit.release-closed
│   ├── ListNotOfRelease         submit.list-not-of-release
│   ├── ListOfAnotherTool        submit.list-of-another-tool
│   ├── PrimaryNeeded            review.primary-needed
│   ├── NoSuchRun                submit.no-such-run
│   ├── RunInvalid               submit.run-invalid
│   ├── NoInstitution            submit.no-institution
│   ├── TestSubmission           submit.test
│   ├── ExampleSubmission        submit.example
│   └── EmbargoPast              submit.embargo-past
├── NoSecretFile             quarantine.not-found
├── ReleasePublished         release.published
├── WouldBeEmpty             release.would-be-empty
├── NotConfirmed             release.not-confirmed
├── ReleaseExists            release.exists
├── ReleaseInvalid           release.invalid
├── ProposalInvalid          release.proposal-invalid
├── ChecklistInvalid         checklist.invalid
├── ChecklistTaken           checklist.taken
├── ChecklistChanged         checklist.changed
├── NoChecklistItem          checklist.not-found
├── BadSigningKey            account.signing-key
├── NoMembers                institution.not-found: missing, or not for this account to see
├── NoMember                 institution.no-member
├── LastAdmin                institution.last-admin
├── InvitationRefused        invitation.refused
├── NoInvitation             invitation.not-found
├── ErasureRefused           account.not-erased
├── NoToken                  account.no-token
├── TokenRefused             account.token
├── AnswersInvalid           answers.invalid
├── UnknownField             request.unknown-field
├── RepeatedField            request.repeated-field
├── BadReceipt               receipt.invalid
├── WebhookRefused           webhook.refused
├── WebhookExists            webhook.exists
├── FollowingRefused         following.refused
├── NotFollowed              following.not-followed
├── NoStep                   step.not-found
├── StepRefused              step.refused
├── StepChanged              step.changed
└── OverrideRefused          override.refused
"""

from __future__ import annotations

from registry.errors import Problem, Unavailable


class IntakeRefused(Problem):
    status = 422
    code = "intake.refused"
    title = "The upload was refused"
    hint = "Correct what the answer says and send it again."


class NoBundle(IntakeRefused):
    status = 400
    code = "intake.no-bundle"
    title = "There is no file named `bundle`"
    hint = "Send one file as the multipart field `bundle`, with a Content-Length."


class EmptyBundle(IntakeRefused):
    code = "intake.empty-bundle"
    title = "The file is empty"
    hint = "Pack the folder that the run wrote and send that."


class TooLarge(IntakeRefused):
    status = 413
    code = "bundle.too-large"
    title = "The bundle is too large"
    hint = "At most 64 MiB are taken; leave out what no check reads, such as per-rank tables of every phase."


class HoldsSecret(IntakeRefused):
    code = "bundle.secret"
    title = "This account sent these bytes before, and a private key or a live token was found in them"
    hint = (
        "Nothing was kept. Revoke what was sent, and pack with the collector, which takes such things out. "
        "If there is no secret in it, ask an editor to clear the file."
    )


class NoSha256(IntakeRefused):
    status = 400
    code = "intake.sha256-missing"
    title = "The sha256 of the bundle is missing"
    hint = "Send the field `sha256`: 64 hexadecimal digits, as sha256sum prints them."


class BadSha256(IntakeRefused):
    code = "intake.sha256-malformed"
    title = "The sha256 is not 64 hexadecimal digits"
    hint = "Send what sha256sum prints for the file."


class WrongSha256(IntakeRefused):
    code = "intake.sha256-mismatch"
    title = "The bytes received have another sha256"
    hint = "Nothing was kept. Send the file again; if it happens again, the file changed or the network alters it."


class BadSignature(IntakeRefused):
    code = "intake.signature-malformed"
    title = "The signature is not one of ssh-keygen"
    hint = "Send the text that `sign` or ssh-keygen -Y sign wrote, or none."


class BadMetadata(IntakeRefused):
    code = "intake.metadata-invalid"
    title = "The metadata is not valid"
    hint = "Correct the fields under `errors`; the schema is /api/v1/schemas/metadata.1/."


class UnknownRelease(IntakeRefused):
    code = "intake.unknown-release"
    title = "There is no such release"
    hint = "GET releases/ lists them."


class UnknownList(IntakeRefused):
    code = "intake.unknown-list"
    title = "There is no such list"
    hint = "Send names of lists, such as io500: the field `lists` repeated, or separated by commas."


class StorageFull(Unavailable):
    code = "storage.full"
    title = "There is no room for the bundle"
    hint = "Nothing was kept. Try again later; the operator has to make room."
    retry_after_s = 60


class StorageUnavailable(Unavailable):
    code = "storage.unavailable"
    title = "The bundle could not be stored"
    hint = "Nothing was kept. Try again after the seconds in Retry-After."


class MailUnavailable(Unavailable):
    code = "mail.unavailable"
    title = "The mail could not be sent"
    hint = "Nothing was kept. Try again after the seconds in Retry-After."
    retry_after_s = 60


class NoWorker(Unavailable):
    code = "check.unavailable"
    title = "No worker took the check"
    hint = "Nothing was kept. Try again later, or check on your machine: python -m validators check PATH."


class CheckTimeout(Problem):
    status = 504
    code = "check.timeout"
    title = "The check took too long"
    hint = "Nothing was kept. Upload it as a submission, which may take longer, or leave out large tables."


class NotFound(Problem):
    status = 404
    code = "submission.not-found"
    title = "There is no such submission"
    hint = "Check the id and the account of the token; GET /api/v1/submissions/ lists what it may see."


class NoSystem(Problem):
    status = 404
    code = "submission.no-system"
    title = "The bundle does not describe its system"
    hint = "Collect with highwater.pyz run or collect, and pack the description with the results."


class Forbidden(Problem):
    status = 403
    code = "permission.denied"
    title = "This account may not do that"
    hint = "Ask an administrator for the role, or somebody who has it."


class NotYours(Forbidden):
    code = "permission.not-yours"
    title = "Only its own account and members of its institution may change a submission"
    hint = "Use a token of the account that uploaded it or of a member of its institution."


class OutOfScope(Forbidden):
    code = "permission.scope"
    title = "The token was not made for that"
    hint = "Make one with the scope that the answer names, on the page of the account or with POST tokens/."


class NotAdmin(Forbidden):
    code = "permission.not-admin"
    title = "Only administrators of an institution change its members"
    hint = "Ask one of them; the page of the institution's members names them."


class ConflictOfInterest(Forbidden):
    code = "review.conflict-of-interest"
    title = "A reviewer may not decide about a run of their own, their institution or a vendor that they are tied to"
    hint = "Leave it to a reviewer of another institution without ties to the vendor."


class StateConflict(Problem):
    status = 409
    code = "state.conflict"
    title = "The submission is in a state that does not permit that"
    hint = "Read it again; somebody else may have been faster."


class DeadlinePassed(Problem):
    status = 409
    code = "edit.deadline-passed"
    title = "The deadline has passed: what was submitted can't be edited any more"
    hint = "Withdraw it, ask its reviewers for a request of changes, or an editor for a late entry."


class AlreadyRevised(Problem):
    status = 409
    code = "revise.already"
    title = "The result has a newer revision, or one is on its way"
    hint = "Go on with that one; one revision of a result is made at a time."


class FilesOfRevision(Problem):
    status = 409
    code = "revise.files"
    title = "A revision has the files of the result that it revises"
    hint = "Upload another run as a submission of its own."


class FileInUse(Problem):
    status = 409
    code = "files.in-use"
    title = "Another file of this submission, or another submission of yours, is that already"
    hint = "Give it another name, or go on with the other submission."


class NoSuchVersion(Problem):
    status = 404
    code = "files.no-version"
    title = "The submission has no such version"
    hint = "GET versions/ lists them."


class LastFile(Problem):
    status = 409
    code = "files.last"
    title = "The only file of a submission can't be removed"
    hint = "Replace it, or withdraw the submission."


class TooManyFiles(Problem):
    status = 422
    code = "files.too-many"
    title = "The submission has too many files"
    hint = "At most 20; pack what belongs together into one archive."


class SubmitRefused(Problem):
    status = 422
    code = "submit.refused"
    title = "The run can't be submitted like that"
    hint = "Correct what the answer says and submit again."


class NotAcknowledged(SubmitRefused):
    code = "submit.not-acknowledged"
    title = "Rules and publication have to be acknowledged"
    hint = "Agree to both; by API send `acknowledge_rules` and `acknowledge_publication` as true."


class ReleaseClosed(SubmitRefused):
    code = "submit.release-closed"
    title = "The release takes no submissions now"
    hint = "GET releases/ says which releases are open."


class ListNotOfRelease(SubmitRefused):
    code = "submit.list-not-of-release"
    title = "The release does not make that list"
    hint = "GET releases/ says which lists a release makes."


class ListOfAnotherTool(SubmitRefused):
    code = "submit.list-of-another-tool"
    title = "The list ranks results of another tool"
    hint = "Choose lists of the tool of this run; the release says which it makes."


class PrimaryNeeded(SubmitRefused):
    code = "review.primary-needed"
    title = "The bundle holds several runs and it is not clear which one counts"
    hint = "Send `primary`: the index in `runs` of the run to submit."


class NoSuchRun(SubmitRefused):
    code = "submit.no-such-run"
    title = "The bundle has no run of that index"
    hint = "`primary` counts from 0 in `runs`."


class RunInvalid(SubmitRefused):
    code = "submit.run-invalid"
    title = "The run has error findings"
    hint = "Choose another run of the bundle, or correct what `findings` says and upload again."


class NoInstitution(SubmitRefused):
    code = "submit.no-institution"
    title = "It is not clear for which institution this is submitted"
    hint = "Name an institution of the account as `institution` in the metadata (revalidate)."


class TestSubmission(SubmitRefused):
    __test__ = False  # its name is no test to pytest
    code = "submit.test"
    title = "A test submission is never submitted to a release"
    hint = "Upload the bundle from another account, or ask an editor to take the flag off."


class ExampleSubmission(SubmitRefused):
    code = "submit.example"
    title = "The example of the collector measured nothing and is for trying out"
    hint = "Submit a run of your own. A registry started with ./dev.py up takes the example."


class EmbargoPast(SubmitRefused):
    code = "submit.embargo-past"
    title = "The embargo ends in the past"
    hint = "Leave `embargo_until` out, or give a time to come."


class ReviewRefused(Problem):
    status = 422
    code = "review.refused"
    title = "The review can't be recorded like that"
    hint = "Correct what the answer says and send it again."


class ReasonNeeded(ReviewRefused):
    code = "review.reason-needed"
    title = "This needs a reason in words"
    hint = "Send `reason` in words; the history keeps it."


class NoReviewer(ReviewRefused):
    code = "review.not-a-reviewer"
    title = "There is no reviewer of that name"
    hint = "Send the username of an account with the role reviewer or one above it."


class NoSuchFinding(ReviewRefused):
    code = "review.unknown-finding"
    title = "The submission has no such finding or rule"
    hint = "Send codes that `findings` or `rules` of the submission have."


class NothingToJudge(ReviewRefused):
    code = "review.unknown-rule"
    title = "The rule does not wait for a person"
    hint = "GET rubric/ says which rules do; the others are settled by the check."


class CommentRefused(ReviewRefused):
    code = "review.comment-refused"
    title = "The comment can't be added"
    hint = "Answer a comment of this submission, in words, of those that the account can read."


class AnonymityRefused(Problem):
    status = 409
    code = "anonymity.refused"
    title = "It can't be published anonymously"
    hint = "GET anonymity/ says what was asked for and decided."


class NamedAlready(AnonymityRefused):
    code = "anonymity.named-already"
    title = "The result that it revises was published by name"
    hint = "What was published by name stays so; withdraw it if it has to go."


class NothingAsked(AnonymityRefused):
    code = "anonymity.not-asked"
    title = "Nothing is asked for that could be decided or taken back"


class FileRefused(Problem):
    status = 422
    code = "files.refused"
    title = "The file can't be shown"
    hint = "Download the archive and look at it on your machine."


class NoSuchFile(FileRefused):
    status = 404
    code = "files.not-found"
    title = "The archive holds no such file"
    hint = "GET files/received/ lists what it holds."


class BinaryFile(FileRefused):
    code = "files.binary"
    title = "The file is no text"


class UnreadableArchive(FileRefused):
    code = "files.unreadable"
    title = "The archive can't be opened here"


class FileQuarantined(FileRefused):
    status = 409
    code = "files.quarantined"
    title = "The file is in quarantine"
    hint = "A private key or a live token was found in it. It is kept, and shown to nobody until an editor decides."


class FileGone(FileRefused):
    status = 410
    code = "files.gone"
    title = "The stored bytes are gone"
    hint = "The history tells why, if the registry deleted them. Else sending the same bytes again restores them."


class NoSecretFile(Problem):
    status = 404
    code = "quarantine.not-found"
    title = "There is no such file in quarantine"
    hint = "GET quarantine/ lists what waits for an editor."


class ReleasePublished(Problem):
    status = 409
    code = "release.published"
    title = "The release is published and does not change any more"
    hint = "Use the next release; lists of this one change by overrides with a reason."


class WouldBeEmpty(Problem):
    status = 409
    code = "release.would-be-empty"
    title = "Publishing would freeze empty lists, or no new result"
    hint = "Take the lists out of the release, wait for results, or allow it: by API with `allow_empty` as true."


class NotConfirmed(Problem):
    status = 422
    code = "release.not-confirmed"
    title = "The name of the release was not typed"
    hint = "Type it as it stands there: what is published can't be taken back as a whole."


class ReleaseExists(Problem):
    status = 409
    code = "release.exists"
    title = "There is a release of that slug"
    hint = "Choose another slug, or PATCH the one that is there."


class ProposalInvalid(Problem):
    status = 422
    code = "release.proposal-invalid"
    title = "The proposed definition can't make this list"
    hint = "Shapes: registry/schemas/list-definition.schema.json; of a score one definition of scores.1."


class ReleaseInvalid(Problem):
    status = 422
    code = "release.invalid"
    title = "The release is not valid"
    hint = "Correct what the answer says and send it again."


class ChecklistInvalid(Problem):
    status = 422
    code = "checklist.invalid"
    title = "The checklist can't be changed like this"
    hint = "Correct what the answer says and send it again."


class ChecklistTaken(Problem):
    status = 409
    code = "checklist.taken"
    title = "Another item has that label"
    hint = "Give it a label of its own."


class ChecklistChanged(Problem):
    status = 409
    code = "checklist.changed"
    title = "Somebody changed the item meanwhile"
    hint = "Look at it as it is now, and send the change again with its version."


class NoChecklistItem(Problem):
    status = 404
    code = "checklist.not-found"
    title = "The checklist has no such item"
    hint = "It may have been removed: read the checklist again."


class BadSigningKey(Problem):
    status = 422
    code = "account.signing-key"
    title = "That is no public SSH key"
    hint = "Give the one line of a file such as ~/.ssh/id_ed25519.pub."


class NoMembers(Problem):
    status = 404
    code = "institution.not-found"
    title = "The account belongs to no such institution"
    hint = "GET institutions/ lists those that it belongs to."


class NoMember(Problem):
    status = 404
    code = "institution.no-member"
    title = "The institution has no such member"
    hint = "Name an account that `members/` lists."


class LastAdmin(Problem):
    status = 409
    code = "institution.last-admin"
    title = "An institution keeps one administrator"
    hint = "Make another member administrator first."


class InvitationRefused(Problem):
    status = 422
    code = "invitation.refused"
    title = "Nobody can be invited like that"
    hint = "Name an account or a mail address, and the role submitter or admin."


class NoInvitation(Problem):
    status = 404
    code = "invitation.not-found"
    title = "There is no such invitation"
    hint = "It may have been accepted, taken back, or be older than 14 days; ask for another."


class ErasureRefused(Problem):
    status = 422
    code = "account.not-erased"
    title = "The account was not erased"
    hint = "Type its name exactly as it stands there."


class NoToken(Problem):
    status = 404
    code = "account.no-token"
    title = "The account has no such token"
    hint = "GET tokens/ lists them by the characters that they begin with."


class TokenRefused(Problem):
    status = 422
    code = "account.token"
    title = "The token can't be made like that"
    hint = "Correct what the answer says and send it again."


class AnswersInvalid(Problem):
    status = 422
    code = "answers.invalid"
    title = "The answers can't be taken"
    hint = "Send one JSON object of question ids and answers, at most 256 KiB."


class WebhookRefused(Problem):
    status = 422
    code = "webhook.refused"
    title = "That address can't be a webhook"
    hint = "Give an https address whose host is public."


class WebhookExists(Problem):
    status = 409
    code = "webhook.exists"
    title = "There is a webhook with that address"
    hint = "GET webhooks/ has it."


class FollowingRefused(Problem):
    status = 422
    code = "following.refused"
    title = "A system is followed for all steps, or for those for the worse"
    hint = "Send `all` or `worse`."


class NotFollowed(Problem):
    status = 404
    code = "following.not-followed"
    title = "The account follows no such system"
    hint = "GET following/ has those that it follows."


class NoStep(Problem):
    status = 404
    code = "step.not-found"
    title = "There is no such step"
    hint = "The results may no longer show it; GET steps/ has those that stand."


class StepRefused(Problem):
    status = 422
    code = "step.refused"
    title = "That can't be said of a step"
    hint = "Correct what the answer says and send it again."


class StepChanged(Problem):
    status = 409
    code = "step.changed"
    title = "Somebody else said something of the step meanwhile"
    hint = "Read it again, and send the version that you read."


class UnknownField(Problem):
    status = 400
    code = "request.unknown-field"
    title = "The body has a field that is not known here"
    hint = "Send the fields that openapi.json names. Nothing was changed."


class RepeatedField(Problem):
    status = 400
    code = "request.repeated-field"
    title = "A field of the body comes twice"
    hint = "Send it once: only one of its values could count. Nothing was changed."

    def __init__(self, name: str) -> None:
        super().__init__(f"The field {name[:80]} comes twice.", errors={name[:80]: ["It comes twice."]})


class BadReceipt(Problem):
    status = 422
    code = "receipt.invalid"
    title = "That is no receipt of this registry"
    hint = "Give the whole JSON document as the registry gave it."


class OverrideRefused(Problem):
    status = 422
    code = "override.refused"
    title = "The decision can't be applied to that list"
    hint = "Name a result of the record, and send `score` exactly when the action is `score`."
