import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createHelperProcess, HelperDied, HelperTimeout, repeatIfHelperDied } from './helper-process.ts'
import { type HelperEvent, helperEvents } from './telemetry.ts'

/** A helper that answers questions about itself. */
type Request = 'pid' | 'environment' | 'fail' | 'count' | 'hang' | 'report damage'

let folder: string
let module: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'helper-process-'))
  module = pathToFileURL(join(folder, 'helper.mjs'))
  await writeFile(
    module,
    `import { serveRequests } from ${JSON.stringify(new URL('./serve-requests.ts', import.meta.url).href)}
     let count = 0
     const answers = {
       pid: () => process.pid,
       environment: () => Object.keys(process.env),
       fail: () => { throw new Error('the work failed') },
       count: () => (count += 1),
       hang: () => new Promise(() => {}),
       'report damage': () => {
         process.stderr.write('a damaged frame\\n'.repeat(100_000))
         process.stderr.write('the reason\\n', () => process.exit(3))
         return new Promise(() => {})
       },
     }
     serveRequests((request) => answers[request]())`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

afterEach(() => {
  vi.useRealTimers()
})

const timeoutMs = 60_000
const idleMs = 30_000

/** Lets time pass for this process, but not for the helper. */
const skipTime = (milliseconds: number): void => {
  vi.advanceTimersByTime(milliseconds)
  vi.useRealTimers()
}
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const createHelper = () => {
  const events: HelperEvent[] = []
  const unsubscribe = helperEvents.subscribe((event) => events.push(event))
  const helper = createHelperProcess<Request, unknown>({ name: 'masking', module, maxHeapMb: 64, timeoutMs })
  onTestFinished(async () => {
    await helper.close()
    unsubscribe()
  })
  const pid = async () => Number(await helper.request('pid'))
  return { helper, events, pid }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a helper replies from another process, and its errors are those of the request', async () => {
  const { helper, events, pid } = createHelper()
  expect(await pid()).not.toBe(process.pid)
  await expect(helper.request('fail')).rejects.toThrow('the work failed')
  expect(await helper.request('count')).toBe(1)
  expect(events).toEqual([])
})

test('a process that is killed in the middle of its work is counted and replaced, and the work is repeated', async () => {
  const { helper, events, pid } = createHelper()
  const first = await pid()
  await helper.request('count')
  const unfinished = helper.request('hang')
  process.kill(first, 'SIGKILL')
  await expect(unfinished).rejects.toBeInstanceOf(HelperDied)
  expect(events).toEqual([{ helper: 'masking', reason: 'died', detail: 'SIGKILL' }])
  expect(await helper.request('count')).toBe(1)
  const second = await pid()
  let attempts = 0
  const repeated = repeatIfHelperDied(async () => {
    attempts += 1
    if (attempts === 1) process.kill(second, 'SIGKILL')
    return await helper.request(attempts === 1 ? 'hang' : 'count')
  })
  expect(await repeated).toBe(1)
  expect(attempts).toBe(2)
})

test('a process that is killed while nothing needs it is replaced, and not counted unless it has state', async () => {
  const { helper, events, pid } = createHelper()
  const kill = async () => {
    const killed = await pid()
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => helper.isRunning()).toBe(false)
    return killed
  }
  const first = await kill()
  expect(await pid()).not.toBe(first)
  expect(events).toEqual([])
  const release = helper.retain()
  await kill()
  release()
  expect(events).toEqual([{ helper: 'masking', reason: 'died', detail: 'SIGKILL' }])
})

test('the end of the error output is reported with a death', async () => {
  const { helper, events } = createHelper()
  await expect(helper.request('report damage')).rejects.toBeInstanceOf(HelperDied)
  expect(events).toEqual([
    { helper: 'masking', reason: 'died', detail: 'exit code 3', output: expect.stringMatching(/frame\nthe reason$/) },
  ])
  expect(events[0]?.output?.length).toBeLessThan(4001)
})

test('work whose process dies twice fails with an error after which clients repeat their request', async () => {
  const { helper, pid } = createHelper()
  const work = repeatIfHelperDied(async () => {
    process.kill(await pid(), 'SIGKILL')
    return await helper.request('hang')
  })
  await expect(work).rejects.toMatchObject({ code: 'unavailable', status: 503 })
})

test('work without a reply in time ends its process, and other work in it can be repeated', async () => {
  const { helper, events, pid } = createHelper()
  const hanging = await pid()
  holdTime()
  const late = helper.request('hang')
  vi.advanceTimersByTime(1)
  const outcomes = Promise.allSettled([late, helper.request('hang')])
  skipTime(timeoutMs - 1)
  expect(await outcomes).toMatchObject([{ reason: expect.any(HelperTimeout) }, { reason: expect.any(HelperDied) }])
  expect(events).toEqual([{ helper: 'masking', reason: 'timeout', detail: 'no reply in 60000 ms' }])
  expect(await pid()).not.toBe(hanging)
})

test('an idle helper ends, unless it has state that is still needed', async () => {
  const { helper, pid, events } = createHelper()
  const first = await pid()
  const release = helper.retain()
  holdTime()
  await pid()
  skipTime(idleMs)
  expect(await pid()).toBe(first)
  holdTime()
  release()
  skipTime(idleMs)
  await expect.poll(() => isAlive(first)).toBe(false)
  expect(events).toEqual([])
})

test('a helper gets none of the secrets in the environment', async () => {
  const { helper } = createHelper()
  const names = (await helper.request('environment')) as string[]
  expect(names.filter((name) => !/^(?:NODE_CHANNEL_|LD_LIBRARY_PATH$)/.test(name))).toEqual([])
})

test('the signals that a terminal and systemd send to all processes do not end a helper', async () => {
  const { pid, events } = createHelper()
  const first = await pid()
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(first, signal)
  expect(await pid()).toBe(first)
  expect(events).toEqual([])
})

test('a closed helper starts no process again', async () => {
  const { helper, pid, events } = createHelper()
  const first = await pid()
  await helper.close()
  expect(isAlive(first)).toBe(false)
  await expect(helper.request('pid')).rejects.toThrow('the server is closing')
  expect(events).toEqual([])
})

test('a helper ends with the server, even if the server is killed', async () => {
  const server = join(folder, 'server.mjs')
  await writeFile(
    server,
    `import { createHelperProcess } from ${JSON.stringify(new URL('./helper-process.ts', import.meta.url).href)}
     const helper = createHelperProcess({ name: 'masking', module: new URL(${JSON.stringify(module.href)}), maxHeapMb: 64, timeoutMs: 60000 })
     console.log(await helper.request('pid'))
     await helper.request('hang')`,
  )
  const child = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const pid = Number(line)
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
})
