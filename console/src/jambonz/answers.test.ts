import { afterAll, beforeEach, expect, test, vi } from 'vitest'

// The session listens to the window from the moment it is loaded.
vi.stubGlobal('window', { addEventListener: () => {}, location: { origin: 'https://pbx.example' } })

const { answerPatchbayCalls, api } = await import('../api/client.ts')
afterAll(() => vi.unstubAllGlobals())

const requests: string[] = []
beforeEach(() => {
  requests.length = 0
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address.replace('https://pbx.example/api/v1', ''))
    return new Response(
      JSON.stringify([
        { inbound: 1, outbound: 1 },
        { inbound: 0, outbound: 1 },
      ]),
    )
  })
})

test("sends Patchbay's calls to the server unless there is a module that answers them", async () => {
  const read = () => api('GET /patchbay/gateway-counts', { query: { voip_carrier_sid: 'a,b' } })
  await read()
  expect(requests.splice(0)).toEqual(['/patchbay/gateway-counts?voip_carrier_sid=a%2Cb'])
  const load = vi.fn<Parameters<typeof answerPatchbayCalls>[0]>(() => import('./answers.ts'))
  answerPatchbayCalls(load)
  await api('GET /Accounts', {})
  expect(requests.splice(0)).toEqual(['/Accounts'])
  expect(load).not.toHaveBeenCalled()
  expect(await read()).toEqual([
    { voip_carrier_sid: 'a', inbound: 1, outbound: 2 },
    { voip_carrier_sid: 'b', inbound: 1, outbound: 2 },
  ])
  expect(requests).toEqual(['/SipGateways?voip_carrier_sid=a', '/SipGateways?voip_carrier_sid=b'])
})

test('fails without a request for a feature that jambonz does not have', async () => {
  answerPatchbayCalls(() => import('./answers.ts'))
  const read = api('GET /patchbay/audit-trail', { query: { page: '1', count: '1' } })
  await expect(read).rejects.toMatchObject({ kind: 'rejected', status: 404 })
  expect(requests).toEqual([])
})
