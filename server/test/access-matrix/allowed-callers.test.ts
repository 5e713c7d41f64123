import { describe, expect, test } from 'vitest'
import { isTestedEndpoint } from '../call-data.ts'
import { callers } from './callers.ts'
import { call, createMatrixWorld, findMismatch, openMatrix } from './matrix-world.ts'
import { expectsError } from './rule.ts'
import { endpointNames, rules } from './rules.ts'

const shared = await openMatrix()

describe('callers with permission get the expected response', () => {
  test.each(endpointNames.filter(isTestedEndpoint))('%s', async (key) => {
    const rule = rules[key]
    const faults = []
    for (const name of callers.filter((caller) => !expectsError(caller, rule, shared))) {
      // A caller with permission can make permanent changes.
      const world = rule.writes ? await createMatrixWorld(shared.api) : shared
      faults.push(findMismatch(await call(key, rule, world, name), rule, world, name))
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})
