import { afterAll, expect, test, vi } from 'vitest'

// The session listens to the window from the moment it is loaded.
vi.stubGlobal('window', { addEventListener: () => {}, location: { origin: 'https://pbx.example' } })

const { blockingKinds } = await import('./blockers.ts')
afterAll(() => vi.unstubAllGlobals())

const none = { total: 0, first: [] }
const free = { applications: none, phone_numbers: none, ms_teams_tenants: none, api_keys: none }

test('kinds of which there are none are left out; the others say how many, and how many more than are named', () => {
  expect(blockingKinds(free)).toEqual([])
  const first = [{ sid: 'a', name: 'one' }]
  expect(blockingKinds({ ...free, phone_numbers: { total: 1200, first }, api_keys: { total: 1, first } })).toEqual([
    { kind: 'phone_numbers', title: '1,200 phone numbers', first, more: 1199 },
    { kind: 'api_keys', title: '1 API key', first, more: 0 },
  ])
})
