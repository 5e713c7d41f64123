import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import type { Database } from '../database/engine.ts'
import { createMetrics } from './metrics.ts'

/** The reference, the alert rules, and the dashboard agree with the metrics that the server has. */

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const metrics = createMetrics()
afterAll(() => metrics.close())
// Only the names are read here, so the database is not used.
const database: Pick<Database, 'pools'> = { pools: () => [] }
metrics.describe(
  database as Database,
  { version: '1', commit: null, schema: 'latest' },
  { maxProviders: 1, hasBackups: true, callActivity: {} },
)

interface MetricDefinition {
  name: string
  type: string
  labels: readonly string[]
}

/** Reads the label names, which prom-client's types do not declare. */
const toDefinition = (metric: object): MetricDefinition => {
  const { name, type, labelNames } = metric as { name: string; type?: string; labelNames: string[] }
  return { name, type: type ?? metric.constructor.name.toLowerCase(), labels: labelNames }
}

const definitions = metrics.registry.getMetricsAsArray().map((metric) => toDefinition(metric))
const ownDefinitions = definitions.filter(({ name }) => name.startsWith('patchbay_'))

/** Labels that Prometheus adds. */
const addedLabels = ['instance', 'job', 'le', 'alertstate']

const findDefinition = (name: string): MetricDefinition | undefined =>
  definitions.find((metric) => metric.name === name) ??
  definitions.find(
    (metric) => metric.name === name.replace(/_(?:bucket|sum|count)$/, '') && metric.type === 'histogram',
  )

/** Returns the metrics of PromQL expressions, each with the labels that its selector compares. */
const readSelectors = (text: string): { name: string; labels: string[] }[] =>
  [...text.matchAll(/\b((?:patchbay|nodejs|process)_[a-z\d_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    }),
  )

const findUnknown = (text: string): string[] =>
  readSelectors(text).flatMap(({ name, labels }) => {
    const definition = findDefinition(name)
    if (definition === undefined) return [name]
    return labels
      .filter((label) => !definition.labels.includes(label) && !addedLabels.includes(label))
      .map((label) => `${name}{${label}}`)
  })

test('the reference lists every metric with its type and labels, and no others', () => {
  const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(patchbay_\w+)` \| (\w+) \| (.*?) ?\| /gm)]
  const documented = rows.map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }))
  const byName = (first: MetricDefinition, second: MetricDefinition) => first.name.localeCompare(second.name)
  expect(documented.toSorted(byName)).toEqual(ownDefinitions.toSorted(byName))
})

interface Panel {
  id: number
  title: string
  targets?: { expr: string }[]
}

test('the dashboard uses existing metrics and labels, and shows every metric', () => {
  const { panels } = JSON.parse(read('deploy/grafana/patchbay.json')) as { panels: Panel[] }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(expressions.flatMap(findUnknown)).toEqual([])
  const used = new Set(expressions.flatMap(readSelectors).map(({ name }) => findDefinition(name)?.name))
  expect(ownDefinitions.filter(({ name }) => !used.has(name))).toEqual([])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('the alert rules use existing metrics and labels, and each has a section that says what to do', () => {
  const rules = read('deploy/prometheus/alerts.yaml')
  const expressions = [...rules.matchAll(/expr: (?:\|\n((?: {10,}.*\n)+)|(.*))/g)].map(
    ([, block, line]) => block ?? line ?? '',
  )
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
  expect(expressions).toHaveLength(alerts.length)
  expect(expressions.flatMap(findUnknown)).toEqual([])
  const runbooks = [...rules.matchAll(/runbook: docs\/how-to\/monitor\.md#(\w+)/g)].map(([, anchor = '']) => anchor)
  expect(runbooks).toEqual(alerts.map((name) => name.toLowerCase()))
  const sections = [...read('docs/how-to/monitor.md').matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name)
  expect(sections).toEqual(alerts)
})
