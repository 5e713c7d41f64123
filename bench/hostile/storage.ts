import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { type Behavior, behaviors, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { createAccount, recordCredentials, type Scenario, type Target, wait } from './scenario.ts'

/**
 * Two accounts with hostile storage servers that attack the server during uploads, while a third account records calls.
 */

const recordingsPerAccount = 30
const recordingIntervalMs = 350
const oneSecond = tones([440, 1000], 1)

/** Records a call of one second. Returns the milliseconds until it was stored. */
const record = async ({ server }: Target, account_sid: string): Promise<number> => {
  const { username, password } = recordCredentials
  const call = await startRecording({
    url: server.url.replace('http', 'ws'),
    account_sid,
    options: { headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } },
  })
  await call.say(oneSecond)
  const before = performance.now()
  await call.hangUp()
  const [code] = await call.closed
  if (code !== 1000 && code !== 1005) throw new Error(`the recording was closed with code ${code}`)
  return performance.now() - before
}

interface Peer {
  origin: string
  stop(): unknown
}

const startPeer = async (behavior: Behavior | 'hang'): Promise<Peer> => {
  if (behavior !== 'hang') return startHostilePeer(() => behavior)
  const { origin, close } = await startHangingServer()
  return { origin, stop: close }
}

const storage = (name: string, behavior: Behavior | 'hang'): Scenario => ({
  name: `hostile storage: ${name}`,
  async prepare(target) {
    const peer = await startPeer(behavior)
    const s3 = {
      vendor: 's3_compatible',
      endpoint: peer.origin,
      name: 'recordings',
      access_key_id: 'a',
      secret_access_key: 'b',
    }
    const azure = {
      vendor: 'azure',
      name: 'recordings',
      connection_string: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Yg==;BlobEndpoint=${peer.origin}/a`,
    }
    const attackers = await Promise.all([createAccount(target, s3), createAccount(target, azure)])
    const victim = await createAccount(target)
    return {
      async run(signal) {
        const [all, times] = [[] as Promise<unknown>[], [] as number[]]
        let failed = 0
        const fail = () => {
          failed += 1
        }
        for (let nth = 0; nth < recordingsPerAccount && !signal.aborted; nth += 1) {
          for (const account of attackers) all.push(record(target, account).catch(fail))
          all.push(
            record(target, victim)
              .then((ms) => times.push(ms))
              .catch(fail),
          )
          await wait(recordingIntervalMs, signal)
        }
        await Promise.all(all)
        await wait(60_000, signal)
        return `third account: ${times.length} calls stored, longest ${Math.max(...times).toFixed(0)} ms; failed: ${failed}`
      },
      stop: () => peer.stop(),
    }
  },
})

export const storageScenarios: readonly Scenario[] = [
  storage('no response', 'hang'),
  storage('endless 200', behaviors['a 200 response without an end']),
  storage('endless 500', behaviors['a 500 response without an end']),
  storage('500 of 561 MB', behaviors['a 500 response of 561 MB']),
]
