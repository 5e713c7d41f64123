import { expect, test } from 'vitest'
import { createTenantErrorGuard } from './tenant-errors.ts'

const minute = 60_000

const createClock = () => {
  let time = 1_000_000
  return { now: () => time, advance: (milliseconds: number) => (time += milliseconds) }
}

/** Creates work that ends only when its signal aborts. */
const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

/**
 * Runs work of an account in which a library throws outside of any caller, as the process's handler of uncaught errors
 * sees it.
 */
const faultIn = async (faults: ReturnType<typeof createTenantErrorGuard>, account_sid: string) => {
  let handled: unknown
  const work = faults.run(account_sid, async (signal) => {
    setImmediate(() => {
      handled = faults.handle(new Error('thrown by an event handler'))
    })
    return forever(signal)
  })
  const error: unknown = await work.catch((reason: unknown) => reason)
  return { handled, error }
}

test('fails the work of the tenant to which a fault belongs, and returns the tenant', async () => {
  const faults = createTenantErrorGuard()
  const other = new AbortController()
  const untouched = faults.run('B', () => forever(other.signal))
  expect(await faultIn(faults, 'A')).toMatchObject({
    handled: { account_sid: 'A', pausedSeconds: 60 },
    error: { name: 'TenantFaultError', cause: { message: 'thrown by an event handler' } },
  })
  other.abort(new Error('still at work until now'))
  await expect(untouched).rejects.toThrow('still at work until now')
})

test('does not handle faults of other code', () => {
  expect(createTenantErrorGuard().handle(new Error('ours'))).toBeUndefined()
})

test('attributes a fault to its tenant after the work has ended', async () => {
  const faults = createTenantErrorGuard()
  const handled = await new Promise((resolve) => {
    void faults.run('A', async () => {
      setTimeout(() => resolve(faults.handle(new Error('late'))), 5)
    })
  })
  expect(handled).toMatchObject({ account_sid: 'A' })
})

test('pauses the tenant for a minute, then twice as long each time, at most an hour', async () => {
  const { now, advance } = createClock()
  const faults = createTenantErrorGuard(now)
  const pauses: number[] = []
  for (let count = 0; count < 8; count += 1) {
    const { handled } = await faultIn(faults, 'A')
    const { pausedSeconds } = handled as { pausedSeconds: number }
    pauses.push(pausedSeconds)
    advance(pausedSeconds * 1000 - 1)
    await expect(faults.run('A', async () => 'done')).rejects.toThrow('Requests of account A are paused for 1 s')
    expect(await faults.run('B', async () => 'done')).toBe('done')
    advance(1)
  }
  expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
})

test('forgets earlier faults after work that succeeds', async () => {
  const { now, advance } = createClock()
  const faults = createTenantErrorGuard(now)
  await faultIn(faults, 'A')
  advance(minute)
  await faultIn(faults, 'A')
  advance(2 * minute)
  expect(await faults.run('A', async () => 'done')).toBe('done')
  expect((await faultIn(faults, 'A')).handled).toMatchObject({ pausedSeconds: 60 })
})

test('does not count a success of work that began before the fault', async () => {
  const faults = createTenantErrorGuard()
  let finish = () => {}
  const earlier = faults.run('A', () => new Promise<void>((resolve) => (finish = resolve)))
  await faultIn(faults, 'A')
  finish()
  await earlier
  await expect(faults.run('A', async () => 'done')).rejects.toThrow('are paused')
})
