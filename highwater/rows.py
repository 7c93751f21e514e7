"""What rows of a registry hold, from its openapi.json; tools/api_tables.py writes them."""

from __future__ import annotations

from typing import Any, TypedDict, Union


class AssumedClass(TypedDict):
    name: str
    title: str
    scale_percent: float
    degrees: int
    sets: int
    runs: int
    source: str


class AxisRow(TypedDict):
    name: str
    title: str
    unit: str
    reads: list[str]
    alias_of: Union[str, None]


class AxisShape(TypedDict):
    name: str
    title: str


class BasisShape(TypedDict):
    result: str
    op: str
    trust: str
    trust_label: str
    enclosures: float
    of_one: float
    qualifier: str
    rates: int
    varies: dict[str, list[str]]
    drive: str
    percent_of_ceiling: Union[float, None]
    above_ceiling: bool
    source: str


class Best(TypedDict):
    release: str
    tool: str
    score: float
    results: int


class Chance(TypedDict):
    stripes: int
    percent: float


class Change(TypedDict):
    field: str
    before: Any
    after: Any


class ChangeShape(TypedDict):
    before: str
    after: str
    factor: Union[float, None]
    factor_qualifier: str
    cause: Union[str, None]
    may_be: list[str]
    differs: dict[str, Any]
    unrecorded: list[str]


class CodedNote(TypedDict):
    code: str
    message: str


class ComparedDivisor(TypedDict):
    value: Union[float, None]
    source: str
    reason: Union[str, None]


class ComparedMeasurement(TypedDict):
    op: str
    quantity: str
    stat: str
    context: dict[str, Any]
    unit: str
    divided: bool
    values: list[Union[float, None]]
    rounding_low: list[Union[float, None]]
    rounding_high: list[Union[float, None]]
    ratios: list[Union[float, None]]
    intervals: list[Union[list[float], None]]
    interval_basis: list[Union[str, None]]
    spreads: list[ComparedSpread]
    printed_units: list[str]
    ratio_qualifiers: list[str]
    qualifiers: list[str]
    differs: list[str]


class ComparedPer(TypedDict):
    name: str
    axis: str
    title: str
    divisors: list[ComparedDivisor]


class ComparedResult(TypedDict):
    id: str
    institution: str
    system: str
    release: Union[str, None]
    release_name: Union[str, None]
    label: Union[str, None]
    tool_version: str
    trust: str
    trust_label: str
    score: Union[float, None]
    source: str
    source_address: str


class ComparedSpread(TypedDict):
    deviation_percent: Union[float, None]
    runs: Union[int, None]


class ComparisonShape(TypedDict):
    results: list[ComparedResult]
    per: Union[ComparedPer, None]
    comparable: bool
    notes: list[Note]
    matched: list[Union[MatchedShape, None]]
    measurements: list[ComparedMeasurement]
    assumptions: list[AssumedClass]
    differences: list[Difference]
    equal: int
    configuration: list[DifferenceGroup]
    system: SystemsCompared


class ConditionOfTwo(TypedDict):
    name: str
    values: list[Union[str, None]]


class ConditionPair(TypedDict):
    name: str
    before: Union[str, None]
    after: Union[str, None]


class ConditionShape(TypedDict):
    name: str
    value: str


class Definition(TypedDict):
    name: str
    version: int


class Difference(TypedDict):
    parameter: str
    values: list[Any]


class DifferenceGroup(TypedDict):
    group: str
    differences: list[DifferingFact]


class DifferingFact(TypedDict):
    subject: str
    name: str
    parameter: str
    key: str
    values: list[Union[list[str], None]]
    differs_from_default: list[Union[bool, None]]
    defaults: list[str]


class Distribution(TypedDict):
    op: str
    quantity: str
    stat: str
    over: str
    context: dict[str, Any]
    unit: str
    printed_unit: str
    count: int
    min: float
    mean: float
    max: float
    deviation: Union[float, None]
    quantiles: list[float]
    members: Union[list[Union[float, None]], None]


class Efficiency(TypedDict):
    op: str
    quantity: str
    stat: str
    context: dict[str, Any]
    value: float
    unit: str
    qualifier: str
    direction: str
    over: str
    limiting: Limiting
    above: list[str]
    layers: list[Layer]


class _EntryAlways(TypedDict):
    rank: int
    rank_low: int
    rank_high: int
    result: str
    institution: str
    institution_slug: str
    system: str
    system_slug: str
    vendor: str
    filesystem_type: str
    filesystem_family: str
    client_nodes: Union[int, None]
    tasks: Union[int, None]
    score: float
    bandwidth_gib_per_s: Union[float, None]
    rate_kiops: Union[float, None]
    reproducibility: str
    trust: str
    new: bool
    entered: str
    note: str
    withdrawn_at: Union[str, None]
    erased_at: Union[str, None]
    source: str
    source_address: str
    rules_violated: Union[int, None]
    trust_label: str
    reproduced: str


class Entry(_EntryAlways, total=False):
    assumed_rank_low: Union[int, None]
    assumed_rank_high: Union[int, None]


class FactCount(TypedDict):
    value: str
    count: int


class FactValue(TypedDict):
    value: str
    count: int


class Factor(TypedDict):
    name: str
    value: float
    unit: str
    source: str
    estimated: bool


class _FindingAlways(TypedDict):
    code: str
    level: str
    message: str
    hint: str
    where: str
    expected: str
    actual: str


class Finding(_FindingAlways, total=False):
    run: int


class ForbiddenResult(TypedDict):
    result: str
    reasons: list[str]


class FormerName(TypedDict):
    slug: str
    name: str
    on: str
    reason: str
    source: str


class GainShape(TypedDict):
    tool: str
    op: str
    quantity: str
    stat: str
    trust: str
    unit: str
    conditions: list[ConditionShape]
    steps: list[StepShape]
    changes: list[ChangeShape]
    chain: list[ChangeShape]
    by_cause: dict[str, float]
    by_possible: list[PossibleShape]


class Gap(TypedDict):
    name: str
    reason: str
    why: str
    results: int


class Generations(TypedDict):
    platforms: list[PlatformName]
    x: AxisShape
    per: Union[str, None]
    order: list[str]
    results: int
    left_out: bool
    gaps: list[Gap]
    single: int
    rows: list[GainShape]
    unmatched: list[UnmatchedShape]
    unknown_values: list[UnknownValue]


class GroupFact(TypedDict):
    name: str
    value: Union[str, None]


class GroupShape(TypedDict):
    facts: list[GroupFact]
    units: UnitsShape
    results: list[str]


class HistogramBin(TypedDict):
    low: float
    high: float
    count: int


class HistoryRow(TypedDict):
    at: str
    actor: Union[str, None]
    from_state: Union[str, None]
    to_state: str
    reason: str


class JudgedMetric(TypedDict):
    op: str
    quantity: str
    stat: str
    unit: str
    printed_unit: str
    context: dict[str, Any]
    value: float
    verdict: str
    better: Union[bool, None]
    expected: Union[float, None]
    expected_low: Union[float, None]
    expected_high: Union[float, None]
    ratio: Union[float, None]
    chance: Union[float, None]
    earlier: int


class Layer(TypedDict):
    layer: str
    words: str
    value: float
    unit: str
    percent: float
    observed: Union[float, None]
    percent_of_observed: Union[float, None]
    estimated: bool
    factors: list[Factor]


class LevelMark(TypedDict):
    at: str
    level_before: str
    level_after: str
    rule: str
    reason: str
    results: list[str]


class Limiting(TypedDict):
    layer: str
    words: str
    percent: float


class LineShape(TypedDict):
    platforms: list[PlatformName]
    url: str


class MatchedRows(TypedDict):
    axis: str
    first: Any
    other: Any
    at: dict[str, Any]
    trust: str
    rows: list[int]
    ratio: Union[float, None]
    qualifier: Union[str, None]
    n_strata: int
    strata: list[MatchedStratum]
    unmatched: list[int]
    not_comparable: list[ForbiddenResult]
    nearest: list[NearestFact]


class MatchedShape(TypedDict):
    outcome: str
    differs: list[ConditionOfTwo]
    unknown: list[ConditionOfTwo]


class MatchedStratum(TypedDict):
    equal: dict[str, str]
    unknown: list[str]
    values: list[Union[float, None]]
    qualifiers: list[Union[str, None]]
    ratio: Union[float, None]
    qualifier: Union[str, None]
    results: list[list[str]]
    differs: list[OtherFact]


class Measurement(TypedDict):
    op: str
    quantity: str
    stat: str
    value: float
    unit: str
    printed_value: float
    printed_unit: str
    scored: Union[bool, None]
    context: dict[str, Any]
    repeats: Union[list[float], None]


class MembersShape(TypedDict):
    op: str
    quantity: str
    stat: str
    over: str
    context: dict[str, Any]
    unit: str
    printed_unit: str
    count: int
    best: float
    share: float
    slow_count: int
    slow: list[SlowMember]
    silent: list[int]
    histogram: list[HistogramBin]
    meeting: list[Chance]


class Membership(TypedDict):
    release: str
    list: str
    title: str
    trust: str
    trust_label: str
    rank: int
    rank_low: int
    rank_high: int
    score: float
    new: bool
    source: str
    source_address: str


class MetricRow(TypedDict):
    metric: str
    title: str
    tools: list[str]
    unit: str
    group: str
    results: int


class MissingFact(TypedDict):
    name: str
    title: str
    results: int


class Must(TypedDict):
    what: str
    original: Union[str, None]
    new: Union[str, None]
    matches: bool


class NearestFact(TypedDict):
    fact: str
    title: str
    first: Union[str, None]
    other: Union[str, None]


class NotJoined(TypedDict):
    result: str
    day: str
    tool: str
    mode: str
    trust: str
    trust_label: str
    client_nodes: Union[int, None]
    tasks: Union[int, None]
    score: Union[float, None]
    list: str
    unknown: list[str]
    numbers: int


class Note(TypedDict):
    code: str
    message: str


class OneUnit(TypedDict):
    layer: str
    words: str
    of_one: float
    units: int
    estimated: bool
    drive: str
    drive_assumed: bool
    above: list[str]
    factors: list[Factor]


class OtherFact(TypedDict):
    fact: str
    title: str
    first: list[str]
    other: list[str]


class PartingFact(TypedDict):
    name: str
    values: list[str]
    unknown: int


class Platform(TypedDict):
    slug: str
    name: str
    vendor: str
    predecessor: Union[str, None]


class PlatformDetail(TypedDict):
    slug: str
    name: str
    vendor: str
    predecessor: Union[str, None]
    successors: list[str]
    formerly: list[FormerName]
    former_slugs: list[str]
    source: str
    best: list[Best]
    results: str


class PlatformName(TypedDict):
    slug: str
    name: str


class PossibleShape(TypedDict):
    may_be: list[str]
    factor: Union[float, None]
    factor_qualifier: str


class Prospect(TypedDict):
    name: str
    title: str
    releases: list[str]
    outcome: str
    why: str
    code: str
    fact: str
    source: str
    needs: list[str]
    missing_answers: int


class RaisedLevel(TypedDict):
    awarded: str
    raised_to: str
    marks: list[LevelMark]


class RankedList(TypedDict):
    release: str
    release_name: str
    list: str
    title: str
    trust: str
    complete: bool
    completeness: str
    reconstructed_as: Union[str, None]
    source: str
    source_address: str
    note: str
    definition: Union[Definition, None]
    ranks: Ranks
    frozen_at: Union[str, None]
    length: int


class RankingCount(TypedDict):
    ranked: int
    missing: int


class RankingGroup(TypedDict):
    trust: str
    tool: str
    mode: str
    division: str
    ranked: int
    missing: int
    varies: list[RankingVariation]
    unknown: list[RankingUnknown]


class RankingInput(TypedDict):
    name: str
    kind: str
    unit: str


class RankingShape(TypedDict):
    title: str
    official: bool
    formula: str
    unit: str
    per: Union[str, None]
    order: str
    as_of: Union[str, None]
    question: str
    inputs: list[RankingInput]
    counts: dict[str, RankingCount]
    groups: list[RankingGroup]
    not_comparable: list[ForbiddenResult]
    candidates: Union[int, None]
    missing_facts: list[MissingFact]
    columns: list[str]
    rows: list[dict[str, Any]]
    unknown_values: list[UnknownValue]


class RankingUnknown(TypedDict):
    name: str
    unknown: int


class RankingVariation(TypedDict):
    name: str
    values: list[FactCount]
    more: int
    unknown: int


class Ranks(TypedDict):
    tool: str
    op: Union[str, None]
    quantity: str
    stat: Union[str, None]
    unit: Union[str, None]
    title: str
    better: str


class Receipt(TypedDict):
    id: str
    state: str
    url: str
    sha256: str


class Release(TypedDict):
    slug: str
    name: str
    imported: bool
    held_on: str
    opens: Union[str, None]
    deadline: Union[str, None]
    publishes: Union[str, None]
    published_at: Union[str, None]
    completeness: str
    note: str
    source: str
    benchmark_versions: list[str]
    accepting_reviewers: int
    list_names: list[str]
    unknown_lists: dict[str, str]
    lists: list[RankedList]


class Repeated(TypedDict):
    op: str
    quantity: str
    stat: str
    context: dict[str, Any]
    unit: str
    printed_unit: str
    runs: int
    deviation_percent: Union[float, None]
    values: list[float]


class Reproduced(TypedDict):
    sentence: str
    sites: int
    failed_sites: int
    within_percent: Union[float, None]
    marks: list[ReproductionMark]
    reproduces: Union[ReproductionMark, None]


class ReproducedNumber(TypedDict):
    op: str
    quantity: str
    stat: str
    context: dict[str, Any]
    ratio: Union[float, None]
    low: Union[float, None]
    high: Union[float, None]
    original_runs: int
    new_runs: int
    outcome: str
    why: str


class ReproductionMark(TypedDict):
    result: str
    original: str
    kind: str
    outcome: str
    ratio: Union[float, None]
    low: Union[float, None]
    high: Union[float, None]
    why: str
    judged_at: str
    musts: list[Must]
    numbers: list[ReproducedNumber]
    differences: list[dict[str, Any]]
    original_withdrawn: bool
    institution: str
    counted: bool


class _ResultAlways(TypedDict):
    id: str
    label: Union[str, None]
    tool: str
    tool_version: str
    mode: str
    trust: str
    release: Union[str, None]
    institution: str
    institution_slug: str
    system: str
    system_slug: str
    platform: Union[str, None]
    vendor: str
    filesystem_type: str
    filesystem_family: str
    client_nodes: Union[int, None]
    tasks: Union[int, None]
    score: Union[float, None]
    bandwidth_gib_per_s: Union[float, None]
    rate_kiops: Union[float, None]
    reproducibility: str
    production: Union[bool, None]
    submitted_on: Union[str, None]
    published_at: Union[str, None]
    revision: int
    same_as: Union[str, None]
    source: str
    source_address: str
    rules_violated: Union[int, None]
    trust_label: str
    reproduced: str


class Result(_ResultAlways, total=False):
    measurements: list[Measurement]


class ResultDetail(TypedDict):
    id: str
    label: Union[str, None]
    tool: str
    tool_version: str
    mode: str
    trust: str
    release: Union[str, None]
    institution: str
    institution_slug: str
    system: str
    system_slug: str
    platform: Union[str, None]
    vendor: str
    filesystem_type: str
    filesystem_family: str
    client_nodes: Union[int, None]
    tasks: Union[int, None]
    score: Union[float, None]
    bandwidth_gib_per_s: Union[float, None]
    rate_kiops: Union[float, None]
    reproducibility: str
    production: Union[bool, None]
    submitted_on: Union[str, None]
    published_at: Union[str, None]
    revision: int
    same_as: Union[str, None]
    source: str
    source_address: str
    rules_violated: Union[int, None]
    trust_label: str
    origin_id: str
    storage_vendor: str
    filesystem_name: str
    filesystem_version: str
    bundle_sha256: str
    public_sha256: str
    archive_missing_since: Union[str, None]
    copy_missing_since: Union[str, None]
    archive_damaged_since: Union[str, None]
    copy_damaged_since: Union[str, None]
    copy_withheld_at: Union[str, None]
    revises: Union[str, None]
    revised_by: Union[str, None]
    printed_again: list[str]
    revision_reason: str
    changes: list[Change]
    withdrawn_at: Union[str, None]
    withdrawn_reason: str
    parameters: dict[str, Any]
    parameter_sources: dict[str, Any]
    described_parameters: dict[str, Any]
    measurements: list[Measurement]
    repeated_scores: dict[str, Any]
    repeats: list[Repeated]
    scores: dict[str, Any]
    hashes: dict[str, Any]
    findings: list[dict[str, Any]]
    rules: list[dict[str, Any]]
    evidence: dict[str, Any]
    evidence_in_short: str
    unconfirmed_operations: Union[list[str], None]
    later_evidence: dict[str, Any]
    read_from: Union[dict[str, Any], None]
    not_read: Union[list[dict[str, Any]], None]
    missing_measurements: list[dict[str, str]]
    tests: list[Any]
    versions: dict[str, Any]
    answers: dict[str, Any]
    facts: dict[str, Any]
    lists: list[Membership]
    source_links: list[SourceLink]
    reproduced: Reproduced
    level_by_rule: RaisedLevel
    next_trust: TrustStep


class ResultMembersShape(TypedDict):
    members: list[MembersShape]
    series: list[SeriesShape]


class ReviewRow(TypedDict):
    decision: str
    reproducibility: str
    production: bool
    reason: str
    findings: list[dict[str, str]]
    reviewer: str
    made_at: str


class RowMix(TypedDict):
    row: int
    values: list[FactValue]
    unknown: int


class RunVerdictRow(TypedDict):
    result: str
    day: str
    tool: str
    mode: str
    trust: str
    trust_label: str
    client_nodes: Union[int, None]
    list: str
    verdict: str
    better: Union[bool, None]
    continues: bool
    earlier: int
    judged: int
    unknown: list[str]
    reason: str
    metrics: list[JudgedMetric]


class SeriesChange(TypedDict):
    before: str
    after: str
    notes: list[Note]
    configuration: list[DifferenceGroup]


class SeriesPoint(TypedDict):
    result: str
    day: str
    value: float
    qualifier: str


class SeriesShape(TypedDict):
    op: str
    quantity: str
    stat: str
    over: str
    context: dict[str, Any]
    unit: str
    printed_unit: str
    count: int
    percents: list[float]
    aged_from: Union[int, None]
    written_bytes: Union[list[float], None]


class SeriesStep(TypedDict):
    day: str
    before: str
    after: str
    level_before: float
    level_after: float
    ratio: float
    better: bool
    chance: float
    state: str
    note: str
    place: int
    id: Union[int, None]


class Site(TypedDict):
    slug: str
    name: str


class SiteDetail(TypedDict):
    slug: str
    name: str
    also_printed_as: list[str]
    formerly: list[FormerName]
    former_slugs: list[str]
    systems: list[System]
    best: list[Best]
    results: str


class SizingShape(TypedDict):
    platform: str
    direction: str
    kind: str
    target: float
    unit: str
    units: UnitsShape
    varies: list[PartingFact]
    groups: list[GroupShape]
    ceiling: Union[OneUnit, None]
    basis: list[BasisShape]


class SlowMember(TypedDict):
    number: int
    value: float
    percent: float


class SourceLink(TypedDict):
    text: str
    address: str
    place: str


class StepShape(TypedDict):
    step: str
    value: float
    result: str
    printed_unit: str
    qualifier: str
    low: Union[float, None]
    high: Union[float, None]
    count: int
    varies: dict[str, list[str]]
    x_first: Union[float, None]
    x_before: Union[float, None]
    x_first_qualifier: str
    x_before_qualifier: str


class StudyAxis(TypedDict):
    name: str
    title: str
    unit: str


class StudyListed(TypedDict):
    slug: str
    title: str
    place: str
    kind: str
    document: str
    url: str


class StudyShape(TypedDict):
    title: str
    axes: list[StudyAxis]
    unit: str
    points: int
    missing: int
    columns: list[str]
    rows: list[dict[str, Any]]
    unbalanced: list[UnbalancedFact]
    unknown: list[UnknownFact]
    matched: list[MatchedRows]
    splits: list[StudySplit]
    examined: int
    chart: Union[dict[str, Any], None]
    coded_notes: list[CodedNote]
    unknown_values: list[UnknownValue]
    question: str
    metrics: list[str]
    x: str
    series: list[str]
    per: Union[str, None]
    as_of: Union[str, None]
    assumptions: list[AssumedClass]
    trust: dict[str, int]
    gaps: list[Gap]
    candidates: Union[int, None]
    missing_facts: list[MissingFact]


class StudySplit(TypedDict):
    fact: str
    title: str
    question: str


class SubmissionDetail(TypedDict):
    id: str
    state: str
    url: str
    sha256: str
    name: str
    score: Union[float, None]
    waits_for: Union[str, None]
    test: bool
    filename: str
    size: int
    account: str
    institution: Union[str, None]
    release: Union[str, None]
    lists: list[str]
    received_at: str
    checked_at: Union[str, None]
    submitted_at: Union[str, None]
    expires_at: Union[str, None]
    result: Union[str, None]
    reproduces: Union[str, None]
    revises: Union[str, None]
    revision_reason: str
    changes: list[Change]
    metadata: dict[str, Any]
    embargo_until: Union[str, None]
    answers: dict[str, Any]
    not_judged: Union[Unjudged, None]
    level_by_rule: Union[RaisedLevel, None]
    answers_missing: dict[str, Any]
    answered_by_recipe: list[str]
    checked_with: Union[str, None]
    signature: str
    system: Union[SystemSummary, None]
    shelf_runs: int
    status: Union[str, None]
    primary: Union[int, None]
    tool: Union[str, None]
    version: Union[str, None]
    mode: Union[str, None]
    path: Union[str, None]
    scores: dict[str, Any]
    hashes: dict[str, Any]
    measurements: list[dict[str, Any]]
    parameters: dict[str, Any]
    parameter_sources: dict[str, Any]
    described_parameters: dict[str, Any]
    tests: list[dict[str, Any]]
    distributions: list[Distribution]
    rules: list[dict[str, Any]]
    evidence: dict[str, Any]
    evidence_in_short: str
    unconfirmed_operations: Union[list[str], None]
    findings: list[Finding]
    runs: list[dict[str, Any]]
    could_rank: Union[list[Prospect], None]
    assigned: list[str]
    groups: list[dict[str, Any]]
    not_read: list[dict[str, Any]]
    reviews: list[ReviewRow]
    history: list[HistoryRow]


class System(TypedDict):
    slug: str
    name: str
    site: str
    institution: str
    platform: Union[str, None]


class SystemDetail(TypedDict):
    slug: str
    name: str
    site: str
    institution: str
    platform: Union[str, None]
    formerly: list[FormerName]
    former_slugs: list[str]
    best: list[Best]
    results: str


class SystemDifference(TypedDict):
    subject: str
    name: str
    parameter: str
    key: str
    values: list[Union[list[str], None]]
    differs_from_default: list[Union[bool, None]]
    defaults: list[str]
    section: str


class SystemHistoryShape(TypedDict):
    system: SystemName
    results: int
    left_out: bool
    undated: int
    single: int
    not_joined: list[NotJoined]
    fewest: int
    newest: Union[RunVerdictRow, None]
    newest_others: list[RunVerdictRow]
    unexpected: list[RunVerdictRow]
    series: list[SystemSeries]
    changes: list[SeriesChange]
    unknown_values: list[UnknownValue]


class SystemName(TypedDict):
    slug: str
    name: str
    institution: str


class SystemSeries(TypedDict):
    tool: str
    mode: str
    trust: str
    client_nodes: Union[int, None]
    settings: dict[str, Any]
    op: str
    quantity: str
    stat: str
    unit: str
    printed_unit: str
    context: dict[str, Any]
    list: str
    scale: dict[str, Any]
    points: list[SeriesPoint]
    resolution: float
    steps: list[SeriesStep]


class _SystemSummaryAlways(TypedDict):
    schema_version: str
    collector: str
    redaction_profile: str
    nodes: dict[str, int]
    parameters: int
    missing: int
    outliers: int
    drift: Union[dict[str, int], None]


class SystemSummary(_SystemSummaryAlways, total=False):
    sha256: str


class SystemsCompared(TypedDict):
    described: list[bool]
    differences: list[SystemDifference]
    equal: int
    unknown: int


class TrustStep(TypedDict):
    level: str
    needs: str


class UnbalancedFact(TypedDict):
    fact: str
    title: str
    values: list[FactValue]
    distinct: int
    rows: list[RowMix]
    rows_left_out: int


class UnitsShape(TypedDict):
    low: Union[int, None]
    middle: Union[int, None]
    high: Union[int, None]
    measurements: int
    qualifier: str


class Unjudged(TypedDict):
    why: str
    tried_at: Union[str, None]
    again_at: Union[str, None]


class UnknownFact(TypedDict):
    fact: str
    title: str
    measurements: int
    rows: int


class UnknownValue(TypedDict):
    code: str
    name: str
    value: str
    nearest: list[str]
    message: str


class UnmatchedEnd(TypedDict):
    step: str
    result: str
    value: float
    qualifier: str
    printed_unit: str


class UnmatchedShape(TypedDict):
    tool: str
    op: str
    quantity: str
    stat: str
    trust: str
    unit: str
    before: UnmatchedEnd
    after: UnmatchedEnd
    differs: list[ConditionPair]
    unknown: list[ConditionPair]
    reasons: list[str]


DATES = {
    "again_at": "date-time",
    "archive_damaged_since": "date-time",
    "archive_missing_since": "date-time",
    "as_of": "date-time",
    "checked_at": "date-time",
    "copy_damaged_since": "date-time",
    "copy_missing_since": "date-time",
    "copy_withheld_at": "date-time",
    "day": "date",
    "deadline": "date-time",
    "embargo_until": "date-time",
    "erased_at": "date-time",
    "expires_at": "date-time",
    "frozen_at": "date-time",
    "held_on": "date",
    "judged_at": "date-time",
    "made_at": "date-time",
    "on": "date",
    "opens": "date-time",
    "published_at": "date-time",
    "publishes": "date-time",
    "received_at": "date-time",
    "submitted_at": "date-time",
    "submitted_on": "date",
    "tried_at": "date-time",
    "withdrawn_at": "date-time",
}
"""Fields that are a day or a time in every row that has them."""
