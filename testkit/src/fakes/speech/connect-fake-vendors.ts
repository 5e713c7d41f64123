import { createOutgoing, type Outgoing, type OutgoingRequest } from '@patchbay/server/adapters/outbound-http/outgoing'
import { afterAll, beforeEach } from 'vitest'
import { type FakeVendorServer, startFakeVendorServer } from './fake-vendor-server.ts'

interface FakeVendorConnection {
  vendorServer: FakeVendorServer
  /** Sends requests of vendors to their fakes. */
  outgoing: Outgoing
  /** Does the same, and records the requests. */
  recordingOutgoing: Outgoing
  /** The recorded requests of the current test. */
  requests: ({ url: string } & OutgoingRequest)[]
}

/** Starts the fake vendors for a test file, and stops them after its tests. */
export const connectFakeVendors = async (): Promise<FakeVendorConnection> => {
  const vendorServer = await startFakeVendorServer()
  afterAll(() => vendorServer.stop())
  const outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: vendorServer.addresses })
  const requests: FakeVendorConnection['requests'] = []
  beforeEach(() => {
    requests.length = 0
  })
  const recordingOutgoing: Outgoing = {
    ...outgoing,
    send(url, request) {
      requests.push({ url, ...request })
      return outgoing.send(url, request)
    },
  }
  return { vendorServer, outgoing, recordingOutgoing, requests }
}
