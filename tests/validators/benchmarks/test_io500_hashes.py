"""The hash primitive and the two hashes, on worked examples of published runs and on any text."""

from hypothesis import given
from hypothesis import strategies as st

from tests.make_io500 import pair_hash as independent_pair_hash
from validators.benchmarks.io500.hashes import ScoreTerms, format_hash, pair_hash, score_hashes, set_hash
from validators.benchmarks.io500.options import config_hashes, families, read_settings

# The terms and the hash of submission 779, an IO500 list entry of SC25: facts that its result.txt prints.
SC25_PHASES = {
    "ior-easy-write": "89.282156",
    "mdtest-easy-write": "1885.212719",
    "ior-hard-write": "74.718907",
    "mdtest-hard-write": "461.930007",
    "find": "1412.298119",
    "ior-easy-read": "91.178374",
    "mdtest-easy-stat": "2631.996788",
    "ior-hard-read": "75.755832",
    "mdtest-hard-stat": "2445.675517",
    "mdtest-easy-delete": "686.152127",
    "mdtest-hard-read": "957.149833",
    "mdtest-hard-delete": "756.396909",
}
SC25 = ScoreTerms("io500-sc25-5-g1d83996d7f05", SC25_PHASES, "82.390241", "1186.689636", "312.684578", valid=True)


def test_single_terms_of_a_published_run():
    assert format_hash(pair_hash("version", "io500-sc25-5-g1d83996d7f05")) == "786A72AA"
    assert format_hash(pair_hash("ior-easy-write", "89.282156")) == "81670244"
    assert format_hash(pair_hash("SCORE", "312.684578")) == "A4DD816A"
    assert format_hash(pair_hash("version", "")) == "98B7A"


def test_the_score_hash_of_a_published_run():
    assert score_hashes(SC25)[0] == "4DB74C82"


def test_score_hashes_of_early_2021_builds_leave_out_the_group_scores():
    with_halves, without = score_hashes(SC25)
    assert int(with_halves, 16) ^ int(without, 16) == 0x621D82A2 ^ 0x05C47521


def test_an_invalid_run_has_another_hash():
    assert score_hashes(SC25._replace(valid=False))[0] != "4DB74C82"


def test_the_extended_hash_leaves_out_the_version():
    without_version = score_hashes(SC25._replace(version=None))[0]
    assert int(without_version, 16) == 0x4DB74C82 ^ 0x786A72AA


def test_an_empty_configuration_gives_the_default_hash_of_each_release():
    default_hashes = {
        "io500-sc25": "9736CCCB",
        "io500-sc23": "973FB172",
        "io500-isc21": "CB957A4B",
        "io500-isc20": "9A404CE7",
    }
    for tag, digest in default_hashes.items():
        assert next(config_hashes({}, tag)) == digest
    assert next(config_hashes({}, "io500-sc20_v3")) == "B3C51B6B"


def test_every_family_gives_the_default_hash_it_is_stored_with():
    import json

    from validators.benchmarks.io500.options import SCHEMAS

    stored = json.loads(SCHEMAS.read_text())["families"]
    assert len(stored) == 11
    for family in families():
        assert format_hash(family.default_hash) == stored[family.letter]["default_hash"]


def test_setting_an_option_to_its_default_changes_nothing():
    settings = read_settings(["[global]", "API = POSIX", "scc = False ; as always", "[debug]", "stonewall-time = 300"])
    assert next(config_hashes(settings, "io500-sc25")) == "9736CCCB"


def test_setting_another_value_exchanges_one_term():
    settings = read_settings(["[GLOBAL]", "drop-caches = true"])
    expected = 0x9736CCCB ^ independent_pair_hash("drop-caches", "FALSE") ^ independent_pair_hash("drop-caches", "TRUE")
    assert next(config_hashes(settings, "io500-sc25")) == f"{expected:X}"


def test_an_empty_value_and_comments_set_nothing():
    assert read_settings(
        ["[find]", "nproc = ", "# nproc = 3", "; x = 1", "nonsense", "pfind-queue-length = 5 # few"]
    ) == {("find", "pfind-queue-length"): "5"}


@given(st.text(), st.text())
def test_the_pair_hash_agrees_with_a_second_implementation(key, value):
    if "\udc80" <= max(key + value, default="") <= "\udfff":
        return
    assert pair_hash(key, value) == independent_pair_hash(key, value)


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), unique=True), st.randoms())
def test_the_order_of_pairs_does_not_matter(pairs, random):
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert set_hash(pairs) == set_hash(shuffled)


@given(st.dictionaries(st.text(max_size=10), st.text(max_size=10), min_size=1))
def test_a_changed_value_changes_only_its_own_hash_term(pairs):
    key = next(iter(pairs))
    changed = {**pairs, key: pairs[key] + "0"}
    difference = set_hash(pairs.items()) ^ set_hash(changed.items())
    assert difference == pair_hash(key, pairs[key]) ^ pair_hash(key, pairs[key] + "0")
