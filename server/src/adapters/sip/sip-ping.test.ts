import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { type SipPeer, sipResponse, startTcpPeer, startTlsPeer, startUdpPeer } from '@patchbay/testkit/peers/sip-peers'
import { freePort, freeUdpPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type AddressPolicy, publicAddressPolicy } from '../outbound-http/ssrf-guard.ts'
import { createSipPing, type SipPingTarget } from './sip-ping.ts'

/** Tests with real sockets: OPTIONS over UDP, TCP, and TLS to peers that behave well and badly. */

const policy = publicAddressPolicy([loopbackNetwork])
/** Longer than any response takes on a busy machine. */
const patienceMs = 30_000
/** Time limit of tests in which no response arrives. */
const brief = { timeoutMs: 200 }
/** Time limit of a test in which datagrams without a meaning must arrive before it ends. */
const untilDelivered = { timeoutMs: 2000 }
const never = new AbortController().signal
const noDns = {
  resolveSrv: () => Promise.reject(new Error('no records')),
  resolveNaptr: () => Promise.reject(new Error('no records')),
}
/** Resolves every name to 127.0.0.1, as a DNS record would. */
const loopbackPolicy: AddressPolicy = {
  check: (host) => policy.check(host),
  lookup: (_name, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]),
}

const folder = mkdtempSync(join(tmpdir(), 'patchbay-sip-'))
const readCertificate = (name: string, subjectAltName?: string) => {
  const { cert, key } = createCertificate(folder, name, subjectAltName)
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}
const byAddress = readCertificate('address')
const byName = readCertificate('name', 'DNS:sip.carrier.example')

const peers: SipPeer[] = []
const opened = async (starting: Promise<SipPeer>): Promise<SipPeer> => {
  const peer = await starting
  peers.push(peer)
  return peer
}
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()))
})
afterAll(() => rmSync(folder, { recursive: true }))

const target = (more: Partial<SipPingTarget>): SipPingTarget => ({
  host: '127.0.0.1',
  port: 5060,
  transport: 'udp',
  usesSips: false,
  ...more,
})

const ping = (more: Partial<SipPingTarget>, options: Partial<Parameters<typeof createSipPing>[0]> = {}) =>
  createSipPing({ policy, dns: noDns, timeoutMs: patienceMs, ...options }).ping(target(more), never)

const getFailure = async (...arguments_: Parameters<typeof ping>) => (await ping(...arguments_)).failure?.code

describe('over UDP', () => {
  const startUdp = (respond: Parameters<typeof startUdpPeer>[0]) => opened(startUdpPeer(respond))

  test('returns status, reason, address, and round-trip time of the response', async () => {
    const { port, requests } = await startUdp((request, from, socket) =>
      socket.send(sipResponse(request, '200 All good'), from.port, from.address),
    )
    const result = await ping({ port })
    expect(result).toMatchObject({
      transport: 'udp',
      source: 'literal',
      addresses: [`127.0.0.1:${port}`],
      response: { status: 200, reason: 'All good', address: `127.0.0.1:${port}` },
      failure: null,
    })
    expect(result.response?.round_trip_ms).toBeGreaterThan(0)
    const [request = ''] = requests
    expect(request).toMatch(new RegExp(`^OPTIONS sip:127\\.0\\.0\\.1:${port} SIP/2\\.0\r\n`))
    expect(request).toMatch(/\r\nVia: SIP\/2\.0\/UDP 127\.0\.0\.1:\d+;branch=z9hG4bK[0-9a-f]{24};rport\r\n/)
    expect(request).toMatch(/\r\nMax-Forwards: 70\r\n/)
    expect(request).toMatch(/\r\nCSeq: 1 OPTIONS\r\n/)
    expect(request).toMatch(/\r\nContent-Length: 0\r\n\r\n$/)
  })

  test.each(['401 Unauthorized', '404 Not Found', '503 Service Unavailable', '603 Decline'])(
    'reports %s as a response',
    async (status) => {
      const { port } = await startUdp((request, from, socket) =>
        socket.send(sipResponse(request, status), from.port, from.address),
      )
      expect((await ping({ port })).response?.status).toBe(Number(status.slice(0, 3)))
    },
  )

  test('repeats a request that gets lost, with the same branch', async () => {
    const peer: SipPeer = await startUdp((request, from, socket) => {
      if (peer.requests.length > 1) socket.send(sipResponse(request), from.port, from.address)
    })
    expect((await ping({ port: peer.port })).response?.status).toBe(200)
    expect(new Set(peer.requests).size).toBe(1)
  })

  test('waits for the final response after a provisional one', async () => {
    const { port } = await startUdp((request, from, socket) => {
      socket.send(sipResponse(request, '100 Trying'), from.port, from.address)
      socket.send(sipResponse(request, '486 Busy Here'), from.port, from.address)
    })
    expect((await ping({ port })).response?.status).toBe(486)
  })

  test('ignores responses from another address, with another branch, method, or Via count', async () => {
    const otherSocket = createSocket('udp4')
    const { port } = await startUdp((request, from, socket) => {
      otherSocket.send(sipResponse(request, '200 Other'), from.port, from.address)
      const wrong: Record<string, string>[] = [
        { Via: 'SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKother' },
        { CSeq: '1 INVITE' },
        { Via: `${/^Via: (.*)$/m.exec(request)?.[1]?.trim()}, SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKb` },
      ]
      for (const changes of wrong) socket.send(sipResponse(request, '200 Wrong', changes), from.port, from.address)
      socket.send(sipResponse(request, '200 Right'), from.port, from.address)
    })
    expect((await ping({ port })).response?.reason).toBe('Right')
    otherSocket.close()
  })

  test('reports a closed port, silence, and garbage', async () => {
    expect(await getFailure({ port: await freeUdpPort() })).toBe('refused')
    const silent = await startUdp(() => {})
    expect(await getFailure({ port: silent.port }, brief)).toBe('timeout')
    const garbage = await startUdp((_, from, socket) =>
      socket.send('\u0000\u00ffHTTP/1.1 200 OK', from.port, from.address),
    )
    expect(await getFailure({ port: garbage.port }, untilDelivered)).toBe('malformed_response')
    const impossible = await startUdp((request, from, socket) =>
      socket.send(sipResponse(request, '999 Whatever'), from.port, from.address),
    )
    expect(await getFailure({ port: impossible.port }, untilDelivered)).toBe('malformed_response')
  })

  test('stops reading from a peer that floods it', async () => {
    const { port } = await startUdp((_, from, socket) => {
      for (let count = 0; count < 200; count += 1) socket.send(Buffer.alloc(8000, 'x'), from.port, from.address)
    })
    expect(await getFailure({ port })).toBe('response_too_large')
  })

  test('removes control characters from the reason, and shortens it', async () => {
    const { port } = await startUdp((request, from, socket) =>
      socket.send(sipResponse(request, `200 A\u001b[31mB\u202e${'x'.repeat(5000)}`), from.port, from.address),
    )
    const reason = (await ping({ port })).response?.reason ?? ''
    expect(reason).toMatch(/^A \[31mB x+$/)
    expect(reason.length).toBeLessThanOrEqual(200)
  })
})

describe('over TCP', () => {
  const startTcp = (respond: Parameters<typeof startTcpPeer>[0]) => opened(startTcpPeer(respond))
  const tcp = (port: number) => ({ port, transport: 'tcp' as const })

  test('reads a response that arrives in pieces after a provisional one with a body', async () => {
    const { port, requests } = await startTcp((request, socket) => {
      const body = 'SIP/2.0 200 Not a message\r\n\r\n'
      const first = sipResponse(request, '183 Session Progress', { 'Content-Length': String(body.length) }) + body
      for (const piece of `\r\n\r\n${first}${sipResponse(request, '200 OK')}`.match(/[^]{1,7}/g) ?? [])
        socket.write(piece)
    })
    expect((await ping(tcp(port))).response).toMatchObject({ status: 200, reason: 'OK' })
    expect(requests[0]).toMatch(
      new RegExp(`^OPTIONS sip:127\\.0\\.0\\.1:${port};transport=tcp SIP/2\\.0\r\nVia: SIP/2\\.0/TCP `),
    )
  })

  test('reports a closed port, silence, an early end, and garbage', async () => {
    expect(await getFailure(tcp(await freePort()))).toBe('refused')
    expect(await getFailure(tcp((await startTcp(() => {})).port), brief)).toBe('timeout')
    expect(await getFailure(tcp((await startTcp((_, socket) => socket.end())).port))).toBe('closed')
    const half = await startTcp((request, socket) => socket.end(sipResponse(request).slice(0, 60)))
    expect(await getFailure(tcp(half.port))).toBe('closed')
    const web = await startTcp((_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'))
    expect(await getFailure(tcp(web.port))).toBe('malformed_response')
    const binary = await startTcp((_, socket) => socket.write(Buffer.alloc(64, 0xff)))
    expect(await getFailure(tcp(binary.port))).toBe('malformed_response')
  })

  test('stops reading after 64 kB, whatever the peer sends', async () => {
    const heads = await startTcp((_, socket) => socket.write(`SIP/2.0 200 OK\r\n${'X-Header: x\r\n'.repeat(10_000)}`))
    expect(await getFailure(tcp(heads.port))).toBe('response_too_large')
    const provisional = await startTcp((request, socket) =>
      socket.write(sipResponse(request, '100 Trying').repeat(1000)),
    )
    expect(await getFailure(tcp(provisional.port))).toBe('response_too_large')
    const body = await startTcp((request, socket) =>
      socket.write(sipResponse(request, '100 Trying', { 'Content-Length': '999999999' }) + 'x'.repeat(100_000)),
    )
    expect(await getFailure(tcp(body.port))).toBe('response_too_large')
  })

  test('gives up on a peer that sends a byte at a time', async () => {
    const { port } = await startTcp((request, socket) => {
      const bytes = sipResponse(request).split('')
      const timer = setInterval(() => socket.write(bytes.shift() ?? ''), 50)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await getFailure(tcp(port), untilDelivered)).toBe('timeout')
  })
})

describe('over TLS', () => {
  const startTls = (credentials: { cert: string; key: string }) =>
    opened(startTlsPeer(credentials, (request, socket) => socket.write(sipResponse(request))))
  const tls = (port: number) => ({ port, transport: 'tls' as const })

  test('accepts a trusted certificate for the IP address or the host name', async () => {
    const { port, requests } = await startTls(byAddress)
    expect((await ping({ ...tls(port), usesSips: true }, { ca: byAddress.cert })).response?.status).toBe(200)
    expect(requests[0]).toMatch(new RegExp(`^OPTIONS sips:127\\.0\\.0\\.1:${port} SIP/2\\.0\r\nVia: SIP/2\\.0/TLS `))
    const named = await startTls(byName)
    const options = { ca: byName.cert, policy: loopbackPolicy }
    expect((await ping({ ...tls(named.port), host: 'sip.carrier.example' }, options)).response?.status).toBe(200)
  })

  test('rejects a certificate that is not trusted, or that is for another host, and says why', async () => {
    const { port } = await startTls(byAddress)
    expect((await ping(tls(port))).failure).toEqual({ code: 'certificate_invalid', detail: 'self-signed certificate' })
    const named = await startTls(byName)
    const options = { ca: byName.cert, policy: loopbackPolicy }
    const wrong = await ping({ ...tls(named.port), host: 'sip.other.example' }, options)
    expect(wrong.failure?.code).toBe('certificate_invalid')
    expect(wrong.failure?.detail).toContain('sip.other.example')
  })

  test('reports a peer without TLS', async () => {
    const { port } = await opened(startTcpPeer((_, socket) => socket.write('SIP/2.0 400 Bad Request\r\n\r\n')))
    expect(await getFailure(tls(port))).toBe('tls_failed')
  })
})

describe('the host', () => {
  test('is rejected if it could add header lines, or is no host', async () => {
    for (const host of ['a.example\r\nX-Injected: 1', 'a.example ', 'a.example;x=1', 'sip:a.example', '127.0.0.1>', ''])
      expect([host, await getFailure({ host })]).toEqual([host, 'invalid_address'])
    expect(await getFailure({ port: 0 })).toBe('invalid_address')
  })

  test('in a private network is rejected, by address and by name', async () => {
    const options = { policy: publicAddressPolicy([]) }
    for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', 'sip.localhost'])
      expect([host, await getFailure({ host }, options)]).toEqual([host, 'address_not_allowed'])
    // A name of an internal host, as an SRV record of a tenant could contain it.
    const dns = {
      ...noDns,
      resolveSrv: () => Promise.resolve([{ name: '127.0.0.1', port: 22, priority: 1, weight: 1 }]),
    }
    expect(await getFailure({ host: 'sip.carrier.example', port: null }, { ...options, dns })).toBe('not_resolved')
  })

  test('that a name server does not resolve in time fails within the time limit', async () => {
    const hanging: AddressPolicy = { check: () => {}, lookup: () => {} }
    const before = performance.now()
    expect(await getFailure({ host: 'sip.carrier.example' }, { policy: hanging, timeoutMs: 200 })).toBe('not_resolved')
    expect(performance.now() - before).toBeLessThan(5000)
  })

  test('with several addresses is tried until one responds', async () => {
    const { port } = await opened(startTcpPeer((request, socket) => socket.write(sipResponse(request))))
    const several: AddressPolicy = {
      check: () => {},
      lookup: (_name, _options, answer) =>
        answer(null, [
          { address: '127.0.0.2', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    }
    const result = await ping({ host: 'sip.carrier.example', port, transport: 'tcp' }, { policy: several })
    expect(result.addresses).toEqual([`127.0.0.2:${port}`, `127.0.0.1:${port}`])
    expect(result.response?.address).toBe(`127.0.0.1:${port}`)
  })
})
