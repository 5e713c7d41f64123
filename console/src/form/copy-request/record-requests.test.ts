import { MutationObserver } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'

vi.stubGlobal('window', { location: { origin: 'https://voice.example.com' }, addEventListener: () => {} })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {}, removeItem: () => {} })

const { transport } = await import('../../api/client.ts')
const { queryClient } = await import('../../api/query-client.ts')
const { recordRequests } = await import('./record-requests.ts')

const live = new AbortController().signal
const send = vi.fn<typeof transport.send>(() => Promise.resolve(Response.json({ sid: 'stored' })))

beforeEach(() => {
  transport.send = send
  send.mockClear()
})

const request = async (method: string, body?: object, options = {}): Promise<{ sid: string }> =>
  (await transport.send(method, '/api/v1/Accounts', { body }, options, undefined)).json()

test('writes are recorded and answered, and reads are sent', async () => {
  const recorded = await recordRequests(async () => {
    const { sid } = await request('GET')
    const created = await request('POST', { name: sid })
    await request('PUT', { sid: created.sid })
  }, live)
  expect(recorded).toMatchObject([
    { method: 'POST', url: 'https://voice.example.com/api/v1/Accounts', body: { name: 'stored' } },
    { method: 'PUT', body: { sid: recorded[0]?.sid } },
  ])
  expect(send.mock.calls.map(([method]) => method)).toEqual(['GET'])
  expect(transport.send).toBe(send)
})

test('the session is renewed while requests are recorded', async () => {
  expect(await recordRequests(() => request('POST', {}, { background: true }), live)).toEqual([])
  expect(send).toHaveBeenCalledTimes(1)
})

test('an action ends after its requests, without success and without what follows it', async () => {
  const effects: string[] = []
  const action = new MutationObserver(queryClient, {
    networkMode: 'always',
    mutationFn: () => request('POST', { name: 'x' }),
    onSuccess: () => effects.push('success'),
  })
  const save = async () => {
    await action.mutate()
    effects.push('navigation')
  }
  expect(await recordRequests(save, live)).toHaveLength(1)
  expect(effects).toEqual([])
  await save()
  expect(effects).toEqual(['success', 'navigation'])
  expect(send).toHaveBeenCalledTimes(1)
})

test('a failed read ends the recording with its error', async () => {
  send.mockRejectedValueOnce(new Error('no server'))
  await expect(recordRequests(() => request('GET'), live)).rejects.toThrow('no server')
  expect(transport.send).toBe(send)
})

test('after the end of the page, writes are neither sent nor answered', async () => {
  const page = new AbortController()
  const save = async () => {
    page.abort()
    await request('PUT', { name: 'x' })
  }
  await expect(recordRequests(save, page.signal)).rejects.toThrow('aborted')
  expect(send).not.toHaveBeenCalled()
  expect(transport.send).toBe(send)
})

test('there is one recording at a time', async () => {
  let finish = () => {}
  const first = recordRequests(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
    live,
  )
  await expect(recordRequests(() => request('PUT', {}), live)).rejects.toThrow('Try again')
  finish()
  expect(await first).toEqual([])
})
