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
import { withTimeout } from '../../../lib/timeout.ts'
import { awsLogger, createAwsRequestHandler } from '../../outbound-http/aws-request-handler.ts'
import type { Transport } from '../../outbound-http/transport.ts'
import {
  groupByLanguage,
  type Credential,
  type VendorContext,
  isSsml,
  type SpeechLists,
  type SpeechVendor,
  textField,
  VendorError,
} from '../speech.ts'

/** Amazon Polly and Amazon Transcribe, by the vendor's own SDK, which signs. */

/** The shortest that STS gives: a role is assumed for one request. */
const roleSeconds = 900

/** Looking for the server's own identity ends with no signal. */
const maxIdentitySeconds = 5

interface Keys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Sends the SDK's requests, whose bodies are texts and bytes, like those to any other vendor. */
const transportOf = ({ outgoing, stop }: VendorContext): Transport => ({
  async send(url, { method = 'GET', headers = {}, body = '' }) {
    const content = typeof body === 'string' ? body : Buffer.from(body as Uint8Array)
    const answer = await outgoing.send(String(url), { method, headers, body: content, stop })
    return { ...answer, body: Readable.from([answer.body]) }
  },
})

const settingsOf = (credential: Credential, context: VendorContext) => ({
  region: textField(credential, 'aws_region') || process.env['AWS_REGION'] || 'us-east-1',
  maxAttempts: 1,
  logger: awsLogger,
  // The SDK's own handler for Polly speaks HTTP/2 and accepts no agent.
  requestHandler: createAwsRequestHandler(transportOf(context)),
})

/** The SDK parses responses, and fails with the parser's own error. */
const asUnreadable = (error: unknown): never => {
  if (error instanceof SyntaxError) throw new VendorError('The vendor answered with something unreadable')
  throw error
}

/** The member of a credential that permits the server's own identity: the SID of the account or the provider. */
export const awsExternalId = 'aws_external_id'

const identityNotAllowed =
  'The service has no access key, and the operator does not allow the identity of the server (AWS_IDENTITY_FOR_SPEECH)'

const noIdentity = () => new VendorError('The server found no identity of its own at AWS in time')

/**
 * Returns the stored access key, the keys of the stored role, or the server's own. The server's identity belongs to its
 * operator, so the latter two need the operator's consent, which is the external ID in the credential. A role is assumed
 * with it, so that no tenant can use a role that trusts the server for another tenant (AWS IAM, "confused deputy").
 */
const keysOf = async (credential: Credential, context: VendorContext): Promise<Keys> => {
  const accessKeyId = textField(credential, 'access_key_id')
  const secretAccessKey = textField(credential, 'secret_access_key')
  if (accessKeyId !== '') return { accessKeyId, secretAccessKey }
  const ExternalId = textField(credential, awsExternalId)
  if (ExternalId === '') throw new VendorError(identityNotAllowed)
  const sts = new STSClient(settingsOf(credential, context))
  const own = await withTimeout(sts.config.credentials(), maxIdentitySeconds, noIdentity)
  const RoleArn = textField(credential, 'role_arn')
  if (RoleArn === '') return own
  const assume = { RoleArn, ExternalId, RoleSessionName: 'Jambonz_Speech', DurationSeconds: roleSeconds }
  const { Credentials } = await sts.send(new AssumeRoleCommand(assume)).catch(asUnreadable)
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken } = Credentials ?? {}
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
}

const polly = async (credential: Credential, context: VendorContext): Promise<PollyClient> =>
  new PollyClient({ ...settingsOf(credential, context), credentials: await keysOf(credential, context) })

const transcribe = async (credential: Credential, context: VendorContext): Promise<TranscribeClient> =>
  new TranscribeClient({ ...settingsOf(credential, context), credentials: await keysOf(credential, context) })

const voicesOf = async (credential: Credential, context: VendorContext): Promise<Voice[]> => {
  const client = await polly(credential, context)
  const { Voices } = await client.send(new DescribeVoicesCommand({})).catch(asUnreadable)
  if (Voices === undefined) throw new VendorError('The vendor answered without voices')
  return Voices
}

const live = async (credential: Credential, known: SpeechLists, context: VendorContext): Promise<SpeechLists> => {
  const voices = await voicesOf(credential, context)
  const spoken = voices.map(({ Id = '', Name = Id, Gender = '', LanguageCode = '', LanguageName = LanguageCode }) => ({
    language: { value: LanguageCode, name: LanguageName },
    voice: { value: Id, name: `${Name} (${Gender})` },
  }))
  return { ...known, tts: groupByLanguage(spoken) }
}

export const aws: SpeechVendor = {
  async testTts(credential, context) {
    await voicesOf(credential, context)
    return 'ok'
  },

  async tryStt(credential, context) {
    const client = await transcribe(credential, context)
    const { Vocabularies } = await client.send(new ListVocabulariesCommand({})).catch(asUnreadable)
    if (Vocabularies === undefined) throw new VendorError('The vendor answered without vocabularies')
    return 'ok'
  },

  async synthesize(credential, { text, language, voice, engine = 'standard' }, context) {
    const client = await polly(credential, context)
    const command = new SynthesizeSpeechCommand({
      Engine: engine as Engine,
      OutputFormat: 'mp3',
      Text: text,
      TextType: isSsml(text) ? 'ssml' : 'text',
      LanguageCode: language as LanguageCode,
      VoiceId: voice as VoiceId,
    })
    const { AudioStream } = await client.send(command).catch(asUnreadable)
    const content = Buffer.from((await AudioStream?.transformToByteArray()) ?? [])
    if (content.length === 0) throw new VendorError('The vendor answered without audio')
    return { type: 'audio/mpeg', content }
  },

  lists: live,
}
