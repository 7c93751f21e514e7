"""Settings of the project: closed by default, everything that differs by host comes from the environment.

The names are declared in registry/environment.py and explained in docs/operate.md. Other apps are named by string only.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Exchange, Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from registry import environment as env

env.refuse_misspelt(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent
STATE_DIR = Path(env.read_text("HIGHWATER_STATE", str(BASE_DIR / ".local"))).absolute()

SECRET_KEY = env.read_text("SECRET_KEY")
DEBUG = env.read_boolean("DEBUG")
ALLOWED_HOSTS = env.read_names("ALLOWED_HOSTS")
INSECURE_LOCAL = env.read_boolean("INSECURE_LOCAL")
TRUSTED_PROXY = env.read_boolean("TRUSTED_PROXY")
PUBLIC_ONLY = env.read_boolean("PUBLIC_ONLY")
READ_REQUIRES_LOGIN = env.read_closed("READ_REQUIRES_LOGIN", public_only=PUBLIC_ONLY)
CSRF_TRUSTED_ORIGINS = env.read_names("CSRF_TRUSTED_ORIGINS", "")
SITE_URL = env.read_origin("SITE_URL")
RECEIPT_KEY = env.ed25519_key("RECEIPT_KEY")
LOG_KEY = env.ed25519_key("LOG_KEY")
OPERATOR = env.read_line("OPERATOR")
CONTACT = env.read_line("CONTACT")
IMPRINT_URL = env.web_address("IMPRINT_URL")
METRICS_TOKEN = env.read_text("METRICS_TOKEN", "")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "django.contrib.admin",
    "rest_framework",
    "django_htmx",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.orcid",
    "allauth.socialaccount.providers.github",
    "csp",
    "registry.apps.RegistryConfig",
    "submissions.apps.SubmissionsConfig",
]

MIDDLEWARE = [
    "registry.web.compression.AcceptedCodingsMiddleware",
    "registry.monitoring.request_counts.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "registry.web.compression.PublicCompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "registry.serving.admission.TooLargeMiddleware",
    "registry.serving.kept_answers.KeptAnswersMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "registry.serving.page_throttle.PageThrottleMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "submissions.accounts.entry.views_kept_input.KeptInputMiddleware",
    "submissions.accounts.entry.closed_reading.ClosedReadingMiddleware",
    "submissions.accounts.second_factor.SecondFactorMiddleware",
    "registry.serving.request_role.RequestRoleMiddleware",
]

ROOT_URLCONF = "registry.urls"
WSGI_APPLICATION = "registry.wsgi.application"
AUTH_USER_MODEL = "submissions.Account"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/submissions/"
LOGOUT_REDIRECT_URL = "/"
LDAP_DIRECTORY = env.ldap_directory("LDAP_DIRECTORY")
AUTHENTICATION_BACKENDS = [
    *(["submissions.accounts.entry.directory_sign_in.DirectoryBackend"] if LDAP_DIRECTORY else []),
    "submissions.accounts.sign_in.OneCheckBackend",
    # Sessions that began with an earlier release name it; it signs nobody in.
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Accounts: docs/accounts.md

SIGNUP_OPEN = env.read_boolean("SIGNUP_OPEN")
REQUIRE_SECOND_FACTOR_FOR = env.read_roles("REQUIRE_SECOND_FACTOR_FOR")
ACCOUNT_FORMS = {"reset_password": "submissions.accounts.forms.ResetRequestForm"}
ACCOUNT_ADAPTER = "submissions.accounts.allauth_adapters.Adapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 3
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_PRESERVE_USERNAME_CASING = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_SESSION_REMEMBER = True
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if TRUSTED_PROXY else 0
MFA_ADAPTER = "submissions.accounts.allauth_adapters.MFAAdapter"
SOCIALACCOUNT_ADAPTER = "submissions.accounts.allauth_adapters.ProviderAdapter"
MFA_FORMS = {
    "authenticate": "submissions.accounts.forms.CodeForm",
    "reauthenticate": "submissions.accounts.forms.RepeatedCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Highwater"
# The code before and the code after count, too (RFC 6238, 5.2): a code that is typed at its end is still right.
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = INSECURE_LOCAL
SOCIALACCOUNT_PROVIDERS = env.login_providers("LOGIN_PROVIDERS")
# A form that ends at the provider would need its address in the Content-Security-Policy; a link does not.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_STORE_TOKENS = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "registry.web.context_processors.frame",
                "registry.web.tray.tray_context",
            ],
            "builtins": [
                "registry.lists.definitions",
                "registry.presentation.charts.svg",
                "registry.presentation.filters",
            ],
        },
    },
]

# Database, broker, cache

# What one statement of the web may take; workers and management commands take as long as they need.
DATABASE_STATEMENT_S = env.read_seconds("DATABASE_STATEMENT_S", 30, least=0)
DATABASE_APP_ROLE = env.read_text("DATABASE_APP_ROLE", "")
DATABASE_PUBLIC_ROLE = env.read_text("DATABASE_PUBLIC_ROLE", "")
CLIENT_PATIENCE_S = env.read_seconds("CLIENT_PATIENCE_S", 10)
DATABASES = {
    "default": {
        **env.read_database("DATABASE_URL", connect_s=env.read_seconds("DATABASE_CONNECT_S", 3, least=2)),
        # Held open per thread and checked before use, so that a restarted database costs one retry and no error.
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
CACHES = {
    "default": {
        "BACKEND": "registry.web.cache_backend.Cache",
        "LOCATION": env.read_text("CACHE_URL"),
        # One attempt for a connection that a restart cut off; a server that hangs must not hold up every request.
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5, "retry": Retry(NoBackoff(), 1)},
    },
}
# Compressed answers to strangers, in the memory of each process; 0 keeps none.
KEPT_ANSWERS_BYTES = env.read_number("KEPT_ANSWERS_BYTES", 32 * 1024**2, least=0, digits=12)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = env.read_text("BROKER_URL")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 200_000  # KiB; files of the whole record take more, which is given back after them
CELERY_TASK_SOFT_TIME_LIMIT = 120
CELERY_TASK_TIME_LIMIT = 150
# Of one check. The published archive that takes longest takes 0.7 s.
CHECK_SECONDS = env.read_number("CHECK_SECONDS", 60, least=5)
# Address space of the process that reads one bundle; the largest published archive needs some 200 MB.
CHECK_MEMORY_BYTES = env.read_number("CHECK_MEMORY_BYTES", 1024**3, least=256 * 1024**2, digits=18)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A publisher that meets a dead broker gives up at once: the sweeper queues again what was received.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "retry_on_timeout": False,
}
CELERY_TIMEZONE = "UTC"
# Bytes that strangers sent are read in `processing` and `check` alone: whoever holds the processes of these two holds
# up no mail and no release. Somebody waits for `check`, so it does not stand behind a backlog of submissions.
CELERY_TASK_DEFAULT_QUEUE = "processing"
_TASKS_OF_QUEUES = {
    "processing": (),
    "check": ("submissions.tasks.check_held",),
    "prompt": (
        "registry.tasks.make_edition",
        "registry.tasks.keep_study_cards",
        "registry.tasks.append_log",
        *(
            f"submissions.tasks.{name}"
            for name in ("sweep", "find_steps", "tell", "tidy", "scrub_storage", "examine_bytes")
        ),
    ),
}
CELERY_TASK_QUEUES = [Queue(name, Exchange(name), routing_key=name) for name in _TASKS_OF_QUEUES]
CELERY_TASK_ROUTES = {task: {"queue": queue} for queue, tasks in _TASKS_OF_QUEUES.items() for task in tasks}
CELERY_BEAT_SCHEDULER = "registry.celery:ModestScheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "submissions.tasks.sweep", "schedule": 2.0},
    "edition": {"task": "registry.tasks.make_edition", "schedule": 5.0},
    "scrub": {"task": "submissions.tasks.scrub_storage", "schedule": 30.0},
    "append_log": {"task": "registry.tasks.append_log", "schedule": 60.0},
    "study_cards": {"task": "registry.tasks.keep_study_cards", "schedule": 10.0},
    "tidy": {"task": "submissions.tasks.tidy", "schedule": 3600.0},
}

# Files: bytes as received are private, the public store holds scrubbed derivatives only


def _bundle_store(kind: str) -> dict[str, object]:
    """Storage of one kind of bundle (received, public, held) below BUNDLE_STORAGE_URL."""
    parts = urlsplit(env.read_text("BUNDLE_STORAGE_URL", (STATE_DIR / "bundles").as_uri()))
    if parts.scheme == "s3":
        location = "/".join(filter(None, [parts.path.strip("/"), kind]))
        options = {"bucket_name": parts.netloc, "location": location, "file_overwrite": True, "default_acl": None}
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    if parts.scheme == "file":
        options = {
            "location": str(Path(unquote(parts.path)) / kind),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        }
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    raise ImproperlyConfigured(f"BUNDLE_STORAGE_URL must begin with file:// or s3://, not {parts.scheme}://")


STORAGES = {
    "default": _bundle_store("other"),
    "received": _bundle_store("received"),
    "public": _bundle_store("public"),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = INSECURE_LOCAL
WHITENOISE_AUTOREFRESH = False
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+[.-](?:[0-9a-f]{12}|\d+\.\d+\.\d+/[^/]+)\..+$"
if INSECURE_LOCAL:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

UPLOAD_LIMIT_BYTES = 64 * 1024 * 1024
# Within 24 hours; 0 is no limit.
UPLOAD_BYTES_PER_DAY = env.read_number("UPLOAD_BYTES_PER_DAY", 5 * 1024**3, least=0, digits=18)
INSTITUTION_BYTES_PER_DAY = env.read_number("INSTITUTION_BYTES_PER_DAY", 50 * 1024**3, least=0, digits=18)
UNCHECKED_PER_ACCOUNT = env.read_number("UNCHECKED_PER_ACCOUNT", 200, least=0)
# After their last change; 0 is never.
DRAFT_DAYS, TRIAL_DAYS = env.read_days("DRAFT_DAYS", 90), env.read_days("TRIAL_DAYS", 90)
# Unset: the smaller of 5 % of the file system and 5 GiB.
FREE_SPACE_FLOOR_BYTES = (
    env.read_number("FREE_SPACE_FLOOR_BYTES", 0, least=0, digits=18)
    if env.read_text("FREE_SPACE_FLOOR_BYTES", "")
    else None
)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 4

# Mail

EMAIL_FROM = env.read_text("EMAIL_FROM", "highwater@localhost")
DEFAULT_FROM_EMAIL = SERVER_EMAIL = EMAIL_FROM
_mail = urlsplit(env.read_text("EMAIL_URL", "file:"))
if _mail.scheme in ("smtp", "smtps"):
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST, EMAIL_PORT = _mail.hostname or "localhost", _mail.port or (465 if _mail.scheme == "smtps" else 587)
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
    EMAIL_USE_SSL, EMAIL_USE_TLS = _mail.scheme == "smtps", _mail.scheme == "smtp" and bool(_mail.username)
elif _mail.scheme == "file":
    EMAIL_BACKEND = "registry.web.eml_backend.EmlBackend"
    EMAIL_FILE_PATH = STATE_DIR / "mail"
else:
    raise ImproperlyConfigured(f"EMAIL_URL must begin with smtp:// or smtps://, not {_mail.scheme}://")

# API

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "submissions.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["registry.web.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "registry.web.answer_schemas.NamedOnce",
    "EXCEPTION_HANDLER": "registry.errors.problem_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "DEFAULT_THROTTLE_CLASSES": ["registry.web.throttles.ReadThrottle"],
    "NUM_PROXIES": 1 if TRUSTED_PROXY else 0,
}
THROTTLE_RATES = {
    "upload": (env.read_rate("THROTTLE_UPLOAD", "600/h"), env.read_rate("THROTTLE_UPLOAD_LOOPBACK", "60/s")),
    "check": (env.read_rate("THROTTLE_CHECK", "120/h"), env.read_rate("THROTTLE_CHECK_LOOPBACK", "60/s")),
    "read": (env.read_rate("THROTTLE_READ", "600/min"), env.read_rate("THROTTLE_READ_LOOPBACK", "500/s")),
    "page": (env.read_rate("THROTTLE_PAGE", "600/min"), env.read_rate("THROTTLE_PAGE_LOOPBACK", "500/s")),
    "picture": (env.read_rate("THROTTLE_PICTURE", "60/min"), env.read_rate("THROTTLE_PICTURE_LOOPBACK", "500/s")),
    "login": (env.read_rate("THROTTLE_LOGIN", "10/min"), env.read_rate("THROTTLE_LOGIN", "10/min")),
}
SPECTACULAR_SETTINGS = {
    "ENUM_NAME_OVERRIDES": {
        "AccountRoleEnum": "submissions.models.accounts.Account.Role",
        "ActionEnum": "registry.models.lists.Override.Action",
        "ChecklistActionEnum": "submissions.models.checklists.ChecklistAct.Action",
        "DispositionKindEnum": "submissions.models.review.Disposition.Kind",
        "IdentityKindEnum": "registry.models.identities.IdentityChange.Kind",
        "OutcomeEnum": "submissions.models.review.Judgement.Outcome",
        "ProspectOutcomeEnum": "submissions.publication.prospects.OUTCOMES",
        "ReproducibilityEnum": "registry.models.results.Result.Reproducibility",
        "ReproductionKindEnum": "registry.models.reproductions.Reproduction.Kind",
        "RoleEnum": "submissions.models.accounts.Membership.Role",
        "TrustEnum": "registry.models.results.Result.Trust",
        "TrustOrDemonstrationEnum": "registry.query.demonstration.LEVELS_AND_TRUST",
    },
    "TITLE": "Highwater",
    "DESCRIPTION": "The registry of storage benchmark results that can be checked, reproduced and compared.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVERS": [{"url": "/", "description": "The registry that serves this document."}],
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "tokenAuth": {
                "type": "http",
                "scheme": "bearer",
                "description": "`Authorization: Bearer KEY`; `Token KEY` is the same. Reading the record needs none.",
            }
        }
    },
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "registry.site_pages.api_meta.with_refused_formats",
        "submissions.web.request_bodies.with_closed_bodies",
        "registry.web.answer_schemas.late_descriptions",
        "registry.site_pages.api_texts.with_summaries",
        "registry.site_pages.api_examples.with_examples",
    ],
}

# Security

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
CSRF_FAILURE_VIEW = "registry.web.error_pages.refused_form"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not INSECURE_LOCAL
SECURE_SSL_REDIRECT = not INSECURE_LOCAL
SECURE_REDIRECT_EXEMPT = [r"^(livez|readyz|healthz)$", r"^metrics$"]
SECURE_HSTS_SECONDS = 0 if INSECURE_LOCAL else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not INSECURE_LOCAL
if TRUSTED_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Words and times

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "registry.monitoring.log_lines.TextFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {"()": "registry.monitoring.log_lines.JsonFormatter"},
    },
    "filters": {
        "without_traceback": {"()": "registry.monitoring.log_lines.WithoutTraceback"},
        "add_context": {"()": "registry.monitoring.log_lines.AddContext"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.read_choice("LOG_FORMAT", ("text", "json"), "text"),
            "filters": ["add_context"],
        }
    },
    "loggers": {
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
        # registry.request has a line for each request, with its status.
        "django.request": {"level": "ERROR"},
        # Two lines for each task, six every two seconds; registry.task has one for each that did something.
        **{name: {"level": "WARNING"} for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace")},
    },
    "root": {
        "handlers": ["console"],
        "level": env.read_choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO"),
    },
}
