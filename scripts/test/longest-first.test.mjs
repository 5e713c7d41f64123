import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { LongestFirst, longFiles } from './longest-first.mjs'

const project = { name: 'built', config: { sequence: { groupOrder: 0 }, isolate: true } }
const toFile = (name) => ({ moduleId: join(repositoryRoot, name), project })

test('starts the files that take long before larger ones', async () => {
  for (const name of longFiles) expect(existsSync(join(repositoryRoot, name))).toBe(true)
  const [first, second] = longFiles
  const large = 'server/process-test/start.test.ts'
  const small = 'server/process-test/stop.test.ts'
  const sequencer = new LongestFirst({ cache: { getTestSpecificationResult: () => undefined } })
  const sorted = await sequencer.sort([small, second, large, first].map(toFile))
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
    [first, second, large, small].map((name) => toFile(name).moduleId),
  )
})
