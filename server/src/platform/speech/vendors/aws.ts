import {
  DescribeVoicesCommand,
  type Engine,
  type LanguageCode,
  PollyClient,
  SynthesizeSpeechCommand,
  type Voice,
  type VoiceId,
} from '@aws-sdk/client-polly'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { ListVocabulariesCommand, TranscribeClient } from '@aws-sdk/client-transcribe'
import { Readable } from 'node:stream'
import { withTimeLimit } from '../../../time-limit.ts'
import {
  byLanguage,
  type Credential,
  type Far,
  isSsml,
  type SpeechLists,
  type SpeechVendor,
  textOf,
  VendorRefused,
} from '../speech.ts'

/** Amazon Polly and Amazon Transcribe, by the vendor's own SDK, which signs. */

/** The shortest that STS gives: a role is assumed for one request. */
const roleSeconds = 900

/** Looking for the server's own identity ends with no signal. */
const mostIdentitySeconds = 5

interface Keys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** A request as the SDK hands it over, signed. */
interface Signed {
  method: string
  protocol: string
  hostname: string
  path: string
  query?: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

/** In place of the SDK's own, of which Polly's speaks HTTP/2 and takes no agent. */
const handlerOf = ({ outgoing, stop }: Far) => ({
  async handle({ method, protocol, hostname, path, query = {}, headers, body }: Signed) {
    const url = new URL(`${protocol}//${hostname}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const content = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body
    const answer = await outgoing.send(url.href, { method, headers, body: content, stop })
    return { response: { statusCode: answer.status, headers: answer.headers, body: Readable.from([answer.body]) } }
  },
})

const settingsOf = (credential: Credential, far: Far) => ({
  region: textOf(credential, 'aws_region') || process.env['AWS_REGION'] || 'us-east-1',
  maxAttempts: 1,
  requestHandler: handlerOf(far),
})

const noIdentity = () => new VendorRefused('The server found no identity of its own at AWS in time')

/**
 * The key that is stored; else those of the role that is, assumed by the server; else the server's own: of its instance,
 * or of what surrounds it.
 */
const keysOf = async (credential: Credential, far: Far): Promise<Keys> => {
  const accessKeyId = textOf(credential, 'access_key_id')
  const secretAccessKey = textOf(credential, 'secret_access_key')
  if (accessKeyId !== '') return { accessKeyId, secretAccessKey }
  const sts = new STSClient(settingsOf(credential, far))
  const own = await withTimeLimit(sts.config.credentials(), mostIdentitySeconds, noIdentity)
  const RoleArn = textOf(credential, 'role_arn')
  if (RoleArn === '') return own
  const assume = { RoleArn, RoleSessionName: 'Jambonz_Speech', DurationSeconds: roleSeconds }
  const { Credentials } = await sts.send(new AssumeRoleCommand(assume))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken } = Credentials ?? {}
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
}

const polly = async (credential: Credential, far: Far): Promise<PollyClient> =>
  new PollyClient({ ...settingsOf(credential, far), credentials: await keysOf(credential, far) })

const transcribe = async (credential: Credential, far: Far): Promise<TranscribeClient> =>
  new TranscribeClient({ ...settingsOf(credential, far), credentials: await keysOf(credential, far) })

const voicesOf = async (credential: Credential, far: Far): Promise<Voice[]> => {
  const client = await polly(credential, far)
  const { Voices } = await client.send(new DescribeVoicesCommand({}))
  if (Voices === undefined) throw new VendorRefused('The vendor answered without voices')
  return Voices
}

const live = async (credential: Credential, known: SpeechLists, far: Far): Promise<SpeechLists> => {
  const voices = await voicesOf(credential, far)
  const spoken = voices.map(({ Id = '', Name = Id, Gender = '', LanguageCode = '', LanguageName = LanguageCode }) => ({
    language: { value: LanguageCode, name: LanguageName },
    voice: { value: Id, name: `${Name} (${Gender})` },
  }))
  return { ...known, tts: byLanguage(spoken) }
}

export const aws: SpeechVendor = {
  async tryTts(credential, far) {
    await voicesOf(credential, far)
    return 'ok'
  },

  async tryStt(credential, far) {
    const client = await transcribe(credential, far)
    const { Vocabularies } = await client.send(new ListVocabulariesCommand({}))
    if (Vocabularies === undefined) throw new VendorRefused('The vendor answered without vocabularies')
    return 'ok'
  },

  async synthesize(credential, { text, language, voice, engine = 'standard' }, far) {
    const client = await polly(credential, far)
    const command = new SynthesizeSpeechCommand({
      Engine: engine as Engine,
      OutputFormat: 'mp3',
      Text: text,
      TextType: isSsml(text) ? 'ssml' : 'text',
      LanguageCode: language as LanguageCode,
      VoiceId: voice as VoiceId,
    })
    const { AudioStream } = await client.send(command)
    const content = Buffer.from((await AudioStream?.transformToByteArray()) ?? [])
    if (content.length === 0) throw new VendorRefused('The vendor answered without audio')
    return { type: 'audio/mpeg', content }
  },

  lists: live,
}
