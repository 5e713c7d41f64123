import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { planSteps } from './quick-gates.mjs'
import { listTestFiles } from './select-test-files.mjs'

const files = listTestFiles(repositoryRoot)

const plan = (...changed) => {
  const gates = planSteps(changed, 'main', files).flat()
  const getArgs = (gate) => gates.find((one) => one.gate === gate)?.args
  const types = gates.find(({ gate }) => gate === 'types')?.tool.slice(1)
  return {
    gates: gates.map(({ gate }) => gate),
    types,
    rules: getArgs('rules'),
    api: getArgs('sqlite'),
    browser: getArgs('e2e'),
  }
}

const path = 'e2e/first-call.e2e.ts'

test('checks a change of a store with the tests of its resource, and one path through the product', () => {
  const { types, rules, api, browser } = plan('server/src/resources/ms-teams-tenants/store.ts')
  expect(types).toEqual(['.'])
  expect(rules).toEqual(['--changed', 'main', '--passWithNoTests'])
  expect(api).toEqual(['server/test/ms-teams-tenants.test.ts'])
  expect(browser).toEqual([path, 'e2e/ms-teams-tenants.e2e.ts'])
})

test('checks a change of a screen with its browser tests, also if the API uses a longer name', () => {
  expect(plan('console/src/screens/carriers/edit.tsx')).toMatchObject({
    types: ['console'],
    api: expect.arrayContaining(['server/test/carriers-with-gateways.test.ts']),
    browser: expect.arrayContaining(['e2e/carriers.e2e.ts', path]),
  })
  expect(plan('contract/src/voip-carriers.ts').browser).toEqual(expect.arrayContaining(['e2e/carriers.e2e.ts']))
})

test('runs changed tests themselves, on their engine', () => {
  const changed = ['server/test/users.test.ts', 'server/integration-test/redis.test.ts', 'e2e/users.e2e.ts']
  const { gates, api, browser } = plan(...changed)
  expect(gates).toEqual(expect.arrayContaining(['build', 'sqlite', 'mariadb', 'e2e']))
  expect(api).toEqual(['server/test/users.test.ts'])
  expect(browser).toEqual(['e2e/users.e2e.ts'])
})

test('does not build or check types after a change of the documentation', () => {
  expect(plan('docs/architecture.md').gates).toEqual(['install', 'format', 'syntax', 'language', 'rules'])
})

test('does not run the tests of every resource for a shared module', () => {
  const { types, api, browser } = plan('contract/src/shared/durations.ts')
  expect(types).toEqual(['.', 'console'])
  expect(api).toBeUndefined()
  expect(browser).toEqual([path])
})
