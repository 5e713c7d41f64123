import { enter } from '@patchbay/testkit/crash/crash-rounds'
import {
  answered,
  callApi,
  findLostWrites,
  getBody,
  isDone,
  keepWriting,
  openLedger,
  seeded,
} from '@patchbay/testkit/crash/durability-ledger'
import { buildRelease, previousRelease } from '@patchbay/testkit/releases/released-version'
import { startBalancedProcesses } from '@patchbay/testkit/servers/balanced-processes'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startRedis } from '@patchbay/testkit/servers/redis'
import { builtServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'

/** Processes of the previous release are replaced one after another, while clients write. */

test(`three processes of ${previousRelease} are upgraded under load, and no request fails`, async () => {
  const redis = await startRedis()
  const settings = {
    ...redis.settings,
    DATABASE_URL: await mariaDbClient(inject('mariadb')).createDatabase(),
    JWT_SECRET: 'a secret of all processes',
    ENCRYPTION_SECRET: 'another secret of all processes',
  }
  // 0.2.0 has no /readyz, and does not announce that it stops.
  const before = { command: buildRelease(previousRelease).command, readinessPath: '/health' }
  const balanced = await startBalancedProcesses(settings, before)
  try {
    const [first] = balanced.processes
    if (first === undefined) throw new Error('no process')
    const { url, intakePort, otlpPort } = balanced
    const target = { ...(await enter(first)), url, intakePort, otlpPort }
    const ledger = await openLedger(target)
    const writing = keepWriting(target, ledger, seeded(4))
    try {
      await answered(ledger, isDone)
      for (const position of balanced.processes.keys()) {
        await balanced.drain(position)
        await answered(ledger, isDone)
        expect(await balanced.terminate(position)).toBe(0)
        await balanced.restart(position, builtServer)
        await answered(ledger, isDone)
      }
    } finally {
      await writing.stop()
    }
    expect(ledger.answers.filter((answer) => !isDone(answer))).toEqual([])
    // 0.2.0 does not count calls by duration, so those that it stored during the upgrade are counted afterwards. In this
    // test, exactly the answered calls have a duration.
    const readTotal = async (filter: string) => {
      const path = `/ServiceProviders/${ledger.service_provider_sid}/RecentCalls?page=1&count=1&${filter}`
      return getBody(await callApi(target, target.apiKey, 'GET', path))
    }
    const answeredCalls = await readTotal('answered=true')
    await expect.poll(() => readTotal('min_duration=1')).toEqual(answeredCalls)
    for (const process of balanced.processes) {
      expect(await findLostWrites({ ...target, url: process.url }, ledger)).toEqual([])
      expect(getBody(await callApi(process, target.session, 'GET', '/Users/me'))).toBeTruthy()
    }
  } finally {
    await balanced.stop()
    await redis.stop()
  }
})
