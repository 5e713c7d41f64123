import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { testPrograms } from './gates.mjs'
import { listFilesThatNeed } from './left-out-tests.mjs'

const need = (...missing) => listFilesThatNeed(repositoryRoot, missing)

test('finds the tests that start a program themselves or through other modules', () => {
  expect(need('nginx')).toEqual(['server/process-test/reverse-proxy.test.ts'])
  expect(need('sipp')).toEqual(
    expect.arrayContaining(['server/test/carrier-connection-check.test.ts', 'e2e/first-call.e2e.ts']),
  )
  // Through e2e/support/redis.ts, and through testkit/src/servers/redis.ts.
  expect(need('redis')).toEqual(expect.arrayContaining(['e2e/live-calls.e2e.ts', 'server/test/live-calls.test.ts']))
  expect(need('redis')).not.toContain('server/test/users.test.ts')
  expect(need('tshark', 'nginx')).toEqual(expect.arrayContaining([...need('tshark'), ...need('nginx')]))
})

test('leaves out nothing without a missing program, and little without one', () => {
  expect(need()).toEqual([])
  const whole = ['chromium', 'mariadb', 'sqlite']
  for (const key of testPrograms.filter((name) => !whole.includes(name))) {
    expect([key, need(key).length > 0]).toEqual([key, true])
    expect([key, need(key).length < 25]).toEqual([key, true])
  }
})
