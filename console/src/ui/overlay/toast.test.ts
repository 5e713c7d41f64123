import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createToaster, TOAST_MS } from './toast.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const listMessages = (toaster: ReturnType<typeof createToaster>) => toaster.toasts().map(({ text }) => text)

test('a toast goes after its time, whether or not anything shows it', () => {
  const toaster = createToaster()
  toaster.success('Saved')
  vi.advanceTimersByTime(TOAST_MS - 1)
  expect(listMessages(toaster)).toEqual(['Saved'])
  vi.advanceTimersByTime(1)
  expect(listMessages(toaster)).toEqual([])
})

test('a paused toast stays, and its timer restarts when it is resumed', () => {
  const toaster = createToaster()
  toaster.failure('Refused')
  const [toast] = toaster.toasts()
  vi.advanceTimersByTime(TOAST_MS - 1)
  toaster.hold(toast?.id ?? 0)
  vi.advanceTimersByTime(10 * TOAST_MS)
  expect(listMessages(toaster)).toEqual(['Refused'])
  toaster.release(toast?.id ?? 0)
  vi.advanceTimersByTime(TOAST_MS - 1)
  expect(listMessages(toaster)).toEqual(['Refused'])
  vi.advanceTimersByTime(1)
  expect(listMessages(toaster)).toEqual([])
})

test('repeating a text restarts its timer', () => {
  const toaster = createToaster()
  toaster.success('Copied')
  vi.advanceTimersByTime(TOAST_MS - 1)
  toaster.success('Copied')
  vi.advanceTimersByTime(TOAST_MS - 1)
  expect(listMessages(toaster)).toEqual(['Copied'])
})

test('three stand at most, the newest, and no clock of those that went runs on', () => {
  const toaster = createToaster()
  for (const text of ['a', 'b', 'c', 'd']) toaster.success(text)
  expect(listMessages(toaster)).toEqual(['b', 'c', 'd'])
  expect(vi.getTimerCount()).toBe(3)
  for (const { id } of toaster.toasts()) toaster.dismiss(id)
  expect(vi.getTimerCount()).toBe(0)
})

test('letting go of one that was dismissed does nothing', () => {
  const toaster = createToaster()
  toaster.success('Saved')
  const [toast] = toaster.toasts()
  toaster.hold(toast?.id ?? 0)
  toaster.dismiss(toast?.id ?? 0)
  toaster.release(toast?.id ?? 0)
  expect(vi.getTimerCount()).toBe(0)
})

test('a failure carries the id of its request', () => {
  const toaster = createToaster()
  toaster.failure('Something went wrong, please try again', { requestId: 'req-7' })
  expect(toaster.toasts()).toMatchObject([{ kind: 'failure', requestId: 'req-7' }])
})
