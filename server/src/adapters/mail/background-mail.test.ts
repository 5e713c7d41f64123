import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBackgroundTasks } from '../../lib/background-tasks.ts'
import { createBackgroundMail } from './background-mail.ts'
import { MailRejectedError } from './mail.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Sends an email through a mail server that responds with these errors, and then accepts it. */
const sendWith = (...errors: Error[]) => {
  const attempts: string[] = []
  const logged: unknown[] = []
  let successes = 0
  const onBackgroundError = (error: unknown, message: string, fields?: object) =>
    logged.push([(error as Error).message, message, fields])
  const mail = {
    send: ({ to }: { to: string }) => {
      attempts.push(to)
      const error = errors.shift()
      return error ? Promise.reject(error) : Promise.resolve()
    },
  }
  const tasks = createBackgroundTasks(onBackgroundError)
  const message = { to: 'someone@example.org', subject: 'a', summary: 'b', reason: 'c' }
  const send = () =>
    createBackgroundMail(mail, tasks, onBackgroundError).send(message, 'not sent', () => (successes += 1))
  return { send, attempts, logged, tasks, countSuccesses: () => successes }
}

const later = new Error('451 try again later')

test('sends an email again after temporary failures, with increasing delays', async () => {
  const { send, attempts, logged, countSuccesses } = sendWith(later, later, later)
  await send()
  for (const [seconds, count] of [
    [30, 1],
    [120, 2],
    [600, 3],
  ] as const) {
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect([attempts.length, countSuccesses()]).toEqual([count, 0])
    expect(logged.at(-1)).toEqual(['451 try again later', 'not sent', { retry_seconds: seconds }])
    await vi.advanceTimersByTimeAsync(1)
  }
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect([attempts.length, countSuccesses(), logged.length]).toEqual([4, 1, 3])
})

test('gives up after three retries', async () => {
  const { send, attempts, logged, countSuccesses } = sendWith(later, later, later, later)
  await send()
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect([attempts.length, countSuccesses()]).toEqual([4, 0])
  expect(logged.at(-1)).toEqual(['451 try again later', 'not sent', undefined])
})

test('does not send an email again that the mail server has rejected permanently', async () => {
  const { send, attempts, countSuccesses } = sendWith(new MailRejectedError('550 no such user'))
  await expect(send()).rejects.toThrow('550 no such user')
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect([attempts.length, countSuccesses()]).toEqual([1, 0])
})

test('drops retries when the process ends', async () => {
  const { send, attempts, tasks } = sendWith(later)
  await send()
  await tasks.settled()
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect(attempts).toHaveLength(1)
})
