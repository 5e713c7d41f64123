import { startFloodingWebSocket } from '@patchbay/testkit/peers/flooding-web-socket'
import { behaviors, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { asAccount, create, createAccount, createStatusCounts, repeat, type Scenario, type Target } from './scenario.ts'

/** Speech services of three accounts that flood the server when it tests them or has them speak, as often as it may. */

const accounts = 3
/** Rate limits of an account are 60 tests and 60 phrases per minute. All of them are used while the attack lasts. */
const concurrentRequests = 6

interface Endpoints {
  path: string
  body?: object
}

const webSocketVendors = (started: string, status: string) => [
  { vendor: 'speechmatics', api_key: 'a', speechmatics_stt_uri: started, use_for_tts: 0, use_for_stt: 1 },
  {
    vendor: 'houndify',
    client_id: 'a',
    client_key: 'Yw==',
    user_id: 'b',
    houndify_server_uri: status,
    use_for_tts: 0,
    use_for_stt: 1,
  },
]

const httpVendors = (origin: string) => [
  {
    vendor: 'deepgram',
    api_key: 'a',
    deepgram_tts_uri: origin,
    deepgram_stt_uri: origin,
    use_for_tts: 1,
    use_for_stt: 1,
  },
]

const phrase = { text: 'Hello', language: 'en-US', voice: 'a' }

/** Returns requests that call the services: tests of all, and phrases of those that speak. */
const createServices = async (target: Target, account: string, services: readonly object[]): Promise<Endpoints[]> => {
  const path = `/v1/Accounts/${account}`
  const endpoints: Endpoints[] = []
  for (const service of services) {
    const sid = await create(target, `/Accounts/${account}/SpeechCredentials`, service)
    endpoints.push({ path: `${path}/SpeechCredentials/${sid}/test` })
    if ('use_for_tts' in service && service.use_for_tts === 1)
      endpoints.push({ path: `${path}/TtsCache/Synthesize`, body: { ...phrase, speech_credential_sid: sid } })
  }
  return endpoints
}

interface Peers {
  services: readonly object[]
  stop(): Promise<unknown>
}

const speech = (name: string, startPeers: () => Promise<Peers>): Scenario => ({
  name: `hostile speech: ${name}`,
  async prepare(target) {
    const peers = await startPeers()
    const attackers: { token: string; endpoints: Endpoints[] }[] = []
    for (let nth = 0; nth < accounts; nth += 1) {
      const account = await createAccount(target)
      const endpoints = await createServices(target, account, peers.services)
      attackers.push({ token: (await asAccount(target, account)).token, endpoints })
    }
    return {
      async run(signal) {
        const counts = createStatusCounts()
        const attack = ({ token, endpoints }: (typeof attackers)[number]) => {
          const exhausted = new Set<string>()
          return repeat(signal, concurrentRequests, async (run) => {
            const { path, body } = endpoints[run % endpoints.length] ?? { path: '' }
            if (exhausted.has(path)) return new Promise((resolve) => setTimeout(resolve, 50))
            const status = await counts.send(target.server.url + path, {
              headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
              ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
              signal,
            })
            if (status === 429) exhausted.add(path)
          })
        }
        await Promise.all(attackers.map(attack))
        return counts.toString()
      },
      stop: () => peers.stop(),
    }
  },
})

const startWebSockets = async (): Promise<Peers> => {
  const peers = await Promise.all([
    startFloodingWebSocket(['{"message":"RecognitionStarted"}', '{"message":"AudioAdded","seq_no":1}']),
    startFloodingWebSocket(['{"status":"ok","nonce":"a"}', '{"status":"ok"}']),
  ])
  const [started, status] = peers.map(({ url }) => url)
  return {
    services: webSocketVendors(started ?? '', status ?? ''),
    stop: () => Promise.all(peers.map((peer) => peer.stop())),
  }
}

const startHttp = async (): Promise<Peers> => {
  const peer = await startHostilePeer(() => behaviors['a 200 response without an end'])
  const custom = { vendor: 'custom:a', auth_token: 'a', custom_tts_url: peer.origin, use_for_tts: 1, use_for_stt: 0 }
  return { services: [...httpVendors(peer.origin), custom], stop: () => peer.stop() }
}

export const speechScenarios: readonly Scenario[] = [
  speech('floods of messages', startWebSockets),
  speech('endless bodies', startHttp),
]
