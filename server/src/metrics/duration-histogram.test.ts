import { Histogram, Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { createDurationHistogram } from './duration-histogram.ts'

const options = {
  name: 'wait_seconds',
  help: 'Time of a wait.',
  labelNames: ['queue', 'kind'] as const,
  buckets: [0.1, 1, 10],
}

test('writes the same text as the histogram of prom-client', async () => {
  const registry = new Registry()
  const referenceRegistry = new Registry()
  const histogram = createDurationHistogram(registry, options)
  const reference = new Histogram({ ...options, buckets: [...options.buckets], registers: [referenceRegistry] })
  for (const [queue, kind, seconds] of [
    ['reads', 'a', 0],
    ['reads', 'a', 0.1],
    ['reads', 'a', 0.5],
    ['reads', 'b', 10.5],
    ['writes', 'a', 1],
    ['writes', 'a', 7.25],
  ] as const) {
    histogram.observe(`${queue} ${kind}`, seconds, () => ({ queue, kind }))
    reference.observe({ queue, kind }, seconds)
  }
  const sortLines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(',').toSorted().join()}}`))
      .toSorted()
  expect(sortLines(await registry.metrics())).toEqual(sortLines(await referenceRegistry.metrics()))
})

test('creates the labels of a key only once', () => {
  const histogram = createDurationHistogram(new Registry(), options)
  const createLabels = vi.fn<() => { queue: string; kind: string }>(() => ({ queue: 'reads', kind: 'a' }))
  for (let count = 1; count <= 3; count += 1) histogram.observe('reads a', 1, createLabels)
  expect(createLabels).toHaveBeenCalledTimes(1)
})
