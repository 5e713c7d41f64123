import { describe, expect, test } from 'vitest'
import { isTestedEndpoint } from '../call-data.ts'
import { snapshot, sorted } from '../fixtures.ts'
import { callers } from './callers.ts'
import { createRequest, findMismatch, getCaller, openMatrix, send } from './matrix-world.ts'
import { type EndpointName, expectsError } from './rule.ts'
import { endpointNames, rules } from './rules.ts'

const world = await openMatrix()

test('the table contains exactly the endpoints of the contract', () => {
  expect(sorted(Object.keys(rules))).toEqual(sorted(endpointNames))
})

/** Returns what is wrong with the responses to callers without permission, whose requests must not change anything. */
const findMismatches = async (key: EndpointName): Promise<string[]> => {
  const rule = rules[key]
  const names = callers.filter((name) => expectsError(name, rule, world))
  const requests = []
  for (const name of names)
    requests.push({ name, caller: await getCaller(world, name), request: await createRequest(rule, world, name) })
  const before = await snapshot(world.api)
  const faults = []
  for (const { name, caller, request } of requests)
    faults.push(findMismatch(await send(caller, key, request), rule, world, name))
  const after = await snapshot(world.api)
  const changed = Object.keys(after).filter((table) => after[table] !== before[table])
  return [
    ...faults.filter((fault) => fault !== undefined),
    ...changed.map((table) => `one of ${names.join(', ')}: refused, yet changed ${table}`),
  ]
}

describe('denied callers get the expected error and change nothing', () => {
  test.each(endpointNames.filter(isTestedEndpoint))('%s', async (key) => {
    expect(await findMismatches(key)).toEqual([])
  })
})
