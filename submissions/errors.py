"""Every refusal of this app, with the code that clients may hold on to.

Problem (registry.errors)
├── IntakeRefused            what was sent can't be taken
│   ├── NoBundle                 intake.no-bundle
│   ├── EmptyBundle              intake.empty-bundle
│   ├── TooLarge                 bundle.too-large
│   ├── HoldsSecret              bundle.secret
│   ├── BytesUsedUp              quota.account-bytes
│   ├── InstitutionBytesUsedUp   quota.institution-bytes
│   ├── TooManyUnchecked         quota.unchecked
│   ├── NoSha256                 intake.sha256-missing
│   ├── BadSha256                intake.sha256-malformed
│   ├── WrongSha256              intake.sha256-mismatch
│   ├── BadSignature             intake.signature-malformed
│   ├── BadMetadata              intake.metadata-invalid
│   ├── UnknownRelease           intake.unknown-release
│   ├── UnknownList              intake.unknown-list
│   ├── UnknownOriginal          intake.unknown-original
│   └── OriginalNotCurrent       intake.original-not-current
├── Unavailable              our side can't at the moment; try again (Retry-After)
│   ├── StorageFull              storage.full
│   ├── StorageUnavailable       storage.unavailable
│   ├── DatabaseUnavailable      database.unavailable (registry.errors)
│   ├── DatabaseTimeout          database.timeout (registry.errors)
│   ├── MailUnavailable          mail.unavailable
│   └── NoWorker                 check.unavailable
├── TooManyInvitations       quota.invitations
├── TooManyQuestions         quota.questions
├── CheckTimeout             check.timeout
├── NotFound                 submission.not-found: missing, or not for this account to see
├── NoSystem                 submission.no-system
├── Forbidden                permission.denied: seen, but not for this account to do
│   ├── NotYours                 permission.not-yours
│   ├── OutOfScope               permission.scope
│   ├── SecondFactorNeeded       account.second-factor
│   ├── PasswordElsewhere        account.password-elsewhere
│   ├── NotAdmin                 permission.not-admin
│   └── ConflictOfInterest       review.conflict-of-interest
├── StateConflict            state.conflict
├── AnswersChanged           edit.answers-changed
├── DeadlinePassed           edit.deadline-passed
├── AlreadyRevised           revise.already
├── FilesOfRevision          revise.files
├── ReviewRefused            review.refused
│   ├── ReasonNeeded             review.reason-needed
│   ├── NoReviewer               review.not-a-reviewer
│   ├── NoSuchFinding            review.unknown-finding
│   ├── NothingToJudge           review.unknown-rule
│   ├── WithdrawalAsked          review.withdrawal-asked
│   ├── QuestionRefused          review.question-refused
│   ├── AnsweredAlready          review.answered-already
│   └── CommentRefused           review.comment-refused
├── AnonymityRefused         anonymity.refused
│   ├── NamedAlready             anonymity.named-already
│   └── NothingAsked             anonymity.not-asked
├── FileRefused              what of an archive can't be shown
│   ├── NoSuchFile               files.not-found
│   ├── BinaryFile               files.binary
│   ├── UnreadableArchive        files.unreadable
│   ├── ArchiveTooMuch           files.too-much
│   ├── NotLookedInto            files.not-looked-into
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
│   ├── OtherBenchmark           submit.other-benchmark
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
├── AccessRequestRefused     account.request
├── NoAccessRequest          account.no-request
├── TooManyAccessRequests    request.throttled
├── NoMembers                institution.not-found: missing, or not for this account to see
├── NoMember                 institution.no-member
├── LastAdmin                institution.last-admin
├── InvitationRefused        invitation.refused
├── NoInvitation             invitation.not-found
├── ErasureRefused           account.not-erased
├── NoTie                    account.no-tie
├── NoToken                  account.no-token
├── TokenRefused             account.token
├── AnswersInvalid           answers.invalid
├── UnknownField             request.unknown-field
├── RepeatedField            request.repeated-field
├── BadReceipt               receipt.invalid
├── NoWebhook                webhook.not-found: missing, or another account's
├── WebhookRefused           webhook.refused
├── TooManyTrials            webhook.trials
├── WebhookExists            webhook.exists
├── FollowingRefused         following.refused
├── NotFollowed              following.not-followed
├── NoStep                   step.not-found
├── StepRefused              step.refused
├── StepChanged              step.changed
├── NotOnShelf               shelf.not-found
├── ShelfRefused             shelf.refused
├── NotShared                shelf.not-shared
└── OverrideRefused          override.refused
"""

from __future__ import annotations

from registry.errors import Problem, Unavailable


class IntakeRefused(Problem):
    status = 422
    code = "intake.refused"
    title = "The upload is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class NoBundle(IntakeRefused):
    status = 400
    code = "intake.no-bundle"
    title = "The file `bundle` is missing"
    hint = "Send one file as the multipart field `bundle`, with a Content-Length."


class EmptyBundle(IntakeRefused):
    code = "intake.empty-bundle"
    title = "The file is empty"
    hint = "Pack the folder that the run wrote and send that."


class TooLarge(IntakeRefused):
    status = 413
    code = "bundle.too-large"
    title = "The bundle is too large"
    hint = "Send at most 64 MiB. Leave out what no check reads, such as per-rank tables of every phase."


class HoldsSecret(IntakeRefused):
    code = "bundle.secret"
    title = "This file was sent before and holds a private key or a live token"
    hint = (
        "Nothing was kept. Revoke what was sent, and pack with the collector, which takes such things out. "
        "If there is no secret in it, ask an editor to clear the file."
    )


class BytesUsedUp(IntakeRefused):
    status = 429
    code = "quota.account-bytes"
    title = "The account has stored as many bytes as it may within a day"
    hint = "Nothing was kept. Send it again after the seconds in Retry-After, or ask the operator for more."


class InstitutionBytesUsedUp(IntakeRefused):
    status = 429
    code = "quota.institution-bytes"
    title = "The institution has stored as many bytes as it may within a day"
    hint = "Nothing was kept. Send it again after the seconds in Retry-After, or ask the operator for more."


class TooManyUnchecked(IntakeRefused):
    status = 429
    code = "quota.unchecked"
    title = "Too many submissions of the account wait for their check"
    hint = "Nothing was kept. Send it again when some are checked."
    retry_after_s = 60


class NoSha256(IntakeRefused):
    status = 400
    code = "intake.sha256-missing"
    title = "The sha256 is missing"
    hint = "Send the field `sha256`: 64 hexadecimal digits, as sha256sum prints them."


class BadSha256(IntakeRefused):
    code = "intake.sha256-malformed"
    title = "The sha256 is not 64 hexadecimal digits"
    hint = "Send what sha256sum prints for the file."


class WrongSha256(IntakeRefused):
    code = "intake.sha256-mismatch"
    title = "The received bytes have another sha256"
    hint = "Nothing was kept. Send the file again; if it happens again, the file changed or the network alters it."


class BadSignature(IntakeRefused):
    code = "intake.signature-malformed"
    title = "Not an SSH signature"
    hint = "Send the text that `sign` or ssh-keygen -Y sign wrote, or none."


class BadMetadata(IntakeRefused):
    code = "intake.metadata-invalid"
    title = "The metadata is not valid"
    hint = "Correct the fields under `errors`; the schema is /api/v1/schemas/metadata.1/."


class UnknownRelease(IntakeRefused):
    code = "intake.unknown-release"
    title = "Unknown release"
    hint = "GET releases/ lists them."


class UnknownList(IntakeRefused):
    code = "intake.unknown-list"
    title = "Unknown list"
    hint = "Send names of lists, such as io500: the field `lists` repeated, or separated by commas."


class UnknownOriginal(IntakeRefused):
    code = "intake.unknown-original"
    title = "Unknown result to reproduce"
    hint = "`reproduces` is the public id of a published result, such as hw-1."


class OriginalNotCurrent(IntakeRefused):
    code = "intake.original-not-current"
    title = "The result to reproduce no longer counts"
    hint = "Name the newest revision of the result, or leave `reproduces` out."


class StorageFull(Unavailable):
    code = "storage.full"
    title = "The storage is full"
    hint = "Nothing was kept. Try again later; the operator must free space."
    retry_after_s = 60


class StorageUnavailable(Unavailable):
    code = "storage.unavailable"
    title = "The bundle could not be stored"
    hint = "Nothing was kept. Try again after the seconds in Retry-After."


class TooManyInvitations(Problem):
    status = 429
    code = "quota.invitations"
    title = "Too many invitations by mail within a day"
    hint = "Nothing was sent. Try again tomorrow, or invite by the name of an account."
    retry_after_s = 3600


class TooManyQuestions(Problem):
    status = 429
    code = "quota.questions"
    title = "Too many questions"
    hint = "Wait until some of them are answered."
    retry_after_s = 3600


class MailUnavailable(Unavailable):
    code = "mail.unavailable"
    title = "The email could not be sent"
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
    title = "Unknown submission"
    hint = "Check the id and the account of the token; GET /api/v1/submissions/ lists what it may see."


class NoSystem(Problem):
    status = 404
    code = "submission.no-system"
    title = "The bundle has no system document"
    hint = "Collect with highwater.pyz run or collect, and pack the description with the results."


class Forbidden(Problem):
    status = 403
    code = "permission.denied"
    title = "This account does not have the permission"
    hint = "Ask an administrator for the role, or somebody who has it."


class NotYours(Forbidden):
    code = "permission.not-yours"
    title = "Only its account and its institution may change a submission"
    hint = "Use a token of the account that uploaded it or of a member of its institution."


class OutOfScope(Forbidden):
    code = "permission.scope"
    title = "The token does not have the scope"
    hint = "Create a token with the scope that the answer names, on your account page or with POST tokens/."


class SecondFactorNeeded(Forbidden):
    code = "account.second-factor"
    title = "Accounts of this role need a second factor here"
    hint = (
        "Sign in on the web and set up an authenticator app or a passkey on /account/2fa/. Nothing else works before."
    )


class PasswordElsewhere(Forbidden):
    code = "account.password-elsewhere"
    title = "The directory of your institution signs this account in, so it has no password here"
    hint = "Change the password where you sign in. Scripts take a token from your account page."


class NotAdmin(Forbidden):
    code = "permission.not-admin"
    title = "Only administrators of an institution may change its members"
    hint = "Ask an administrator; the page of the institution's members names them."


class ConflictOfInterest(Forbidden):
    code = "review.conflict-of-interest"
    title = "Conflict of interest"
    hint = "Leave it to a reviewer of another institution without ties to the vendor."


class StateConflict(Problem):
    status = 409
    code = "state.conflict"
    title = "Not possible in the state of the submission"
    hint = "Read the submission again; somebody else may have changed it."


class AnswersChanged(Problem):
    status = 409
    code = "edit.answers-changed"
    title = "Somebody else changed the answers"
    hint = "Nothing was overwritten. Compare what is stored with what you typed, then save again."


class DeadlinePassed(Problem):
    status = 409
    code = "edit.deadline-passed"
    title = "The deadline has passed"
    hint = "Withdraw it. Or ask its reviewers to request changes, or an editor to permit a late entry."


class AlreadyRevised(Problem):
    status = 409
    code = "revise.already"
    title = "A newer revision exists or is in progress"
    hint = "Continue with that revision. A result has one revision at a time."


class FilesOfRevision(Problem):
    status = 409
    code = "revise.files"
    title = "A revision cannot change files"
    hint = "Upload another run as a submission of its own."


class FileInUse(Problem):
    status = 409
    code = "files.in-use"
    title = "This file is already part of one of your submissions"
    hint = "Give the file another name, or continue with the other submission."


class NoSuchVersion(Problem):
    status = 404
    code = "files.no-version"
    title = "Unknown version"
    hint = "GET versions/ lists them."


class LastFile(Problem):
    status = 409
    code = "files.last"
    title = "The only file cannot be removed"
    hint = "Replace it, or withdraw the submission."


class TooManyFiles(Problem):
    status = 422
    code = "files.too-many"
    title = "Too many files"
    hint = "At most 20; pack what belongs together into one archive."


class SubmitRefused(Problem):
    status = 422
    code = "submit.refused"
    title = "The request to submit is not valid"
    hint = "Fix what `detail` or `errors` names and submit again."


class NotAcknowledged(SubmitRefused):
    code = "submit.not-acknowledged"
    title = "Accept the rules and the publication terms"
    hint = "Accept both. By API, send `acknowledge_rules` and `acknowledge_publication` as true."


class ReleaseClosed(SubmitRefused):
    code = "submit.release-closed"
    title = "The release is not open"
    hint = "GET releases/ shows which releases are open."


class ListNotOfRelease(SubmitRefused):
    code = "submit.list-not-of-release"
    title = "The release does not have the list"
    hint = "GET releases/ shows the lists of each release."


class ListOfAnotherTool(SubmitRefused):
    code = "submit.list-of-another-tool"
    title = "The list ranks another benchmark"
    hint = "Choose lists for the benchmark of this run."


class PrimaryNeeded(SubmitRefused):
    code = "review.primary-needed"
    title = "Choose one run of the bundle"
    hint = "Send `primary`: the index in `runs` of the run to submit."


class NoSuchRun(SubmitRefused):
    code = "submit.no-such-run"
    title = "Unknown run of the bundle"
    hint = "`primary` counts from 0 in `runs`."


class RunInvalid(SubmitRefused):
    code = "submit.run-invalid"
    title = "The run has errors"
    hint = "Choose another run of the bundle, or fix what its findings name and upload again."


class NoInstitution(SubmitRefused):
    code = "submit.no-institution"
    title = "Choose an institution"
    hint = "Name an institution of the account. By API, `revalidate/` takes it as `institution`."


class OtherBenchmark(SubmitRefused):
    code = "submit.other-benchmark"
    title = "The run is of another benchmark than the result to reproduce"
    hint = "Withdraw it, and upload the bundle again without the id of a result, or with another one."


class TestSubmission(SubmitRefused):
    __test__ = False  # its name is no test to pytest
    code = "submit.test"
    title = "Test uploads cannot be submitted"
    hint = "Upload the bundle again, not as a test. That is another submission."


class ExampleSubmission(SubmitRefused):
    code = "submit.example"
    title = "The example run cannot be submitted"
    hint = "Submit a run of your own. A registry started with ./dev.py up takes the example."


class EmbargoPast(SubmitRefused):
    code = "submit.embargo-past"
    title = "The end of the embargo is in the past"
    hint = "Give a later time, or none."


class ReviewRefused(Problem):
    status = 422
    code = "review.refused"
    title = "The review is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class ReasonNeeded(ReviewRefused):
    code = "review.reason-needed"
    title = "The reason is missing"
    hint = "Send `reason`; the history keeps it."


class NoReviewer(ReviewRefused):
    code = "review.not-a-reviewer"
    title = "Unknown reviewer"
    hint = "Send the username of an account with the role reviewer or one above it."


class NoSuchFinding(ReviewRefused):
    code = "review.unknown-finding"
    title = "Unknown finding or rule"
    hint = "Send codes that `findings` or `rules` of the submission have."


class WithdrawalAsked(ReviewRefused):
    status = 409
    code = "review.withdrawal-asked"
    title = "A finding asks for the withdrawal of the run"
    hint = "Change the decision on that finding first, or reject the run."


class NothingToJudge(ReviewRefused):
    code = "review.unknown-rule"
    title = "The check decides this rule"
    hint = "GET rubric/ lists the rules that a person decides."


class QuestionRefused(ReviewRefused):
    status = 409
    code = "review.question-refused"
    title = "Nobody can ask about this run, or be asked"
    hint = "Submitters of a release ask about runs of others in it that are open to questions, until it is published."


class AnsweredAlready(ReviewRefused):
    status = 409
    code = "review.answered-already"
    title = "The question is answered already"
    hint = "Read the answer; what it lacks, the other submitter can ask again."


class CommentRefused(ReviewRefused):
    code = "review.comment-refused"
    title = "The comment is not valid"
    hint = "Answer a comment of this submission that the account can read."


class AnonymityRefused(Problem):
    status = 409
    code = "anonymity.refused"
    title = "Anonymous publication is not possible"
    hint = "GET anonymity/ shows what was requested and decided."


class NamedAlready(AnonymityRefused):
    code = "anonymity.named-already"
    title = "The revised result was published by name"
    hint = "A result published by name stays so. Withdraw it to remove it."


class NothingAsked(AnonymityRefused):
    code = "anonymity.not-asked"
    title = "No request for anonymous publication is open"


class FileRefused(Problem):
    status = 422
    code = "files.refused"
    title = "The file cannot be shown"
    hint = "Download the archive and look at it on your machine."


class NoSuchFile(FileRefused):
    status = 404
    code = "files.not-found"
    title = "Unknown file of the archive"
    hint = "GET files/received/ lists what it holds."


class BinaryFile(FileRefused):
    code = "files.binary"
    title = "The file is not text"


class UnreadableArchive(FileRefused):
    code = "files.unreadable"
    title = "The archive cannot be opened"


class ArchiveTooMuch(FileRefused):
    code = "files.too-much"
    title = "The archive takes too much time or memory to look into"


class NotLookedInto(FileRefused):
    status = 503
    code = "files.not-looked-into"
    title = "The archive could not be looked into now"
    hint = "Try again in a minute. If it happens again, download the archive, and tell the operators."
    retry_after_s = 60


class FileQuarantined(FileRefused):
    status = 409
    code = "files.quarantined"
    title = "The file is in quarantine"
    hint = "A private key or a live token was found in it. It is kept, and shown to nobody until an editor decides."


class FileGone(FileRefused):
    status = 410
    code = "files.gone"
    title = "The stored bytes are gone"
    hint = "If the registry deleted them, the history has the reason. Else send the same bytes again to restore them."


class NoSecretFile(Problem):
    status = 404
    code = "quarantine.not-found"
    title = "Unknown file in quarantine"
    hint = "GET quarantine/ lists the files that wait for an editor."


class ReleasePublished(Problem):
    status = 409
    code = "release.published"
    title = "The release is published and cannot change"
    hint = "Use the next release; lists of this one change by overrides with a reason."


class WouldBeEmpty(Problem):
    status = 409
    code = "release.would-be-empty"
    title = "A list would be empty, or nothing would be published"
    hint = "Remove the lists from the release, or wait for results. By API, `allow_empty` as true publishes it."


class NotConfirmed(Problem):
    status = 422
    code = "release.not-confirmed"
    title = "Type the short name of the release"
    hint = "Type it as shown. Publishing cannot be undone."


class ReleaseExists(Problem):
    status = 409
    code = "release.exists"
    title = "A release with this slug exists"
    hint = "Choose another slug, or PATCH the one that is there."


class ProposalInvalid(Problem):
    status = 422
    code = "release.proposal-invalid"
    title = "The proposed definition is not valid for this list"
    hint = "Shapes: registry/schemas/list-definition.schema.json; of a score one definition of scores.1."


class ReleaseInvalid(Problem):
    status = 422
    code = "release.invalid"
    title = "The release is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class ChecklistInvalid(Problem):
    status = 422
    code = "checklist.invalid"
    title = "The change of the checklist is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class ChecklistTaken(Problem):
    status = 409
    code = "checklist.taken"
    title = "Another item has this label"
    hint = "Choose another label."


class ChecklistChanged(Problem):
    status = 409
    code = "checklist.changed"
    title = "Somebody else changed the item"
    hint = "Read the item again, and send your change with its version."


class NoChecklistItem(Problem):
    status = 404
    code = "checklist.not-found"
    title = "Unknown item of the checklist"
    hint = "It may have been removed: read the checklist again."


class BadSigningKey(Problem):
    status = 422
    code = "account.signing-key"
    title = "Not a public SSH key"
    hint = "Give the one line of a file such as ~/.ssh/id_ed25519.pub."


class AccessRequestRefused(Problem):
    status = 422
    code = "account.request"
    title = "The request can't be carried out"
    hint = "Correct the fields, or write to the administrators."


class NoAccessRequest(Problem):
    status = 404
    code = "account.no-request"
    title = "There is no such request for an account"
    hint = "Another administrator may have answered it."


class TooManyAccessRequests(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many requests for accounts from here"
    hint = "Wait the seconds in `Retry-After`."

    def __init__(self, seconds: int = 60) -> None:
        super().__init__()
        self.retry_after_s = seconds


class NoMembers(Problem):
    status = 404
    code = "institution.not-found"
    title = "The account does not belong to the institution"
    hint = "GET institutions/ lists those that it belongs to."


class NoMember(Problem):
    status = 404
    code = "institution.no-member"
    title = "Unknown member of the institution"
    hint = "Name an account that is a member."


class LastAdmin(Problem):
    status = 409
    code = "institution.last-admin"
    title = "An institution needs an administrator"
    hint = "Make another member administrator first."


class InvitationRefused(Problem):
    status = 422
    code = "invitation.refused"
    title = "The invitation is not valid"
    hint = "Name an account or an email address, and the role submitter or admin."


class NoInvitation(Problem):
    status = 404
    code = "invitation.not-found"
    title = "Unknown invitation"
    hint = "It was accepted or cancelled, or it is older than 14 days. Ask for another."


class ErasureRefused(Problem):
    status = 422
    code = "account.not-erased"
    title = "The account was not deleted"
    hint = "Type the name exactly as shown."


class NoTie(Problem):
    status = 404
    code = "account.no-tie"
    title = "There is no such open tie"
    hint = "GET ties/ lists them; somebody else may have ended it."


class NoToken(Problem):
    status = 404
    code = "account.no-token"
    title = "Unknown token"
    hint = "GET tokens/ lists them by the characters that they begin with."


class TokenRefused(Problem):
    status = 422
    code = "account.token"
    title = "The token is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class AnswersInvalid(Problem):
    status = 422
    code = "answers.invalid"
    title = "The answers are not valid"
    hint = "Send one JSON object of question ids and answers, at most 256 KiB."


class NoWebhook(Problem):
    status = 404
    code = "webhook.not-found"
    title = "Unknown webhook"
    hint = "GET webhooks/ lists those of the account."


class WebhookRefused(Problem):
    status = 422
    code = "webhook.refused"
    title = "The webhook address is not valid"
    hint = "Give an https address whose host is public."


class TooManyTrials(Problem):
    status = 429
    code = "webhook.trials"
    title = "Too many webhook tests"
    hint = "Wait an hour, or look at the deliveries that were made."
    retry_after_s = 600


class WebhookExists(Problem):
    status = 409
    code = "webhook.exists"
    title = "A webhook with this address exists"
    hint = "GET webhooks/ lists it."


class FollowingRefused(Problem):
    status = 422
    code = "following.refused"
    title = "Choose all changes, or regressions only"
    hint = "Send `all` or `worse`."


class NotFollowed(Problem):
    status = 404
    code = "following.not-followed"
    title = "The account does not follow the system"
    hint = "GET following/ lists the followed systems."


class NoStep(Problem):
    status = 404
    code = "step.not-found"
    title = "Unknown performance change"
    hint = "The results may no longer show it. GET steps/ lists the current ones."


class StepRefused(Problem):
    status = 422
    code = "step.refused"
    title = "The state of the performance change is not valid"
    hint = "Fix what `detail` or `errors` names and send it again."


class StepChanged(Problem):
    status = 409
    code = "step.changed"
    title = "Somebody else changed the performance change"
    hint = "Read it again, and send the version that you read."


class UnknownField(Problem):
    status = 400
    code = "request.unknown-field"
    title = "Unknown field in the body"
    hint = "Send the fields that openapi.json names. Nothing was changed."


class RepeatedField(Problem):
    status = 400
    code = "request.repeated-field"
    title = "A field is repeated"
    hint = "Send it once: only one of its values could count. Nothing was changed."

    def __init__(self, name: str) -> None:
        super().__init__(f"The field {name[:80]} comes twice.", errors={name[:80]: ["It comes twice."]})


class BadReceipt(Problem):
    status = 422
    code = "receipt.invalid"
    title = "Not a receipt of this registry"
    hint = "Send the whole JSON document as the registry issued it."


class NotOnShelf(Problem):
    status = 404
    code = "shelf.not-found"
    title = "No such run on the shelf"
    hint = "GET shelf/ lists the runs that the account may see."


class ShelfRefused(Problem):
    status = 422
    code = "shelf.refused"
    title = "The shelf does not take this"
    hint = "Fix what `detail` or `errors` names and send it again."


class NotShared(Problem):
    status = 404
    code = "shelf.not-shared"
    title = "The run is not shared with that account"
    hint = "GET shelf/{id}/ lists with whom it is shared."


class OverrideRefused(Problem):
    status = 422
    code = "override.refused"
    title = "The override is not valid for this list"
    hint = "Name a published result. Send `score` only with the action `score`, and always then."
