import { Readable } from 'node:stream'
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
import { withTimeout } from '../../../lib/timeout.ts'
import { awsLogger, createAwsRequestHandler } from '../../outbound-http/aws-request-handler.ts'
import type { Transport } from '../../outbound-http/transport.ts'
import {
  type Credential,
  groupByLanguage,
  isSsml,
  type SpeechLists,
  type SpeechVendor,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'

/** Amazon Polly and Amazon Transcribe. The vendor's SDK signs the requests. */

/** The shortest duration that STS accepts. A role is assumed for a single request. */
const roleSeconds = 900

/** Time limit for finding the server's own identity, because the SDK accepts no abort signal for it. */
const maxIdentitySeconds = 5

interface Keys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Sends the SDK's requests like those to any other vendor. Their bodies are strings or bytes. */
const createTransport = ({ outgoing, stop }: VendorContext): Transport => ({
  async send(url, { method = 'GET', headers = {}, body = '' }) {
    const content = typeof body === 'string' ? body : Buffer.from(body as Uint8Array)
    const response = await outgoing.send(String(url), { method, headers, body: content, stop })
    return { ...response, body: Readable.from([response.body]) }
  },
})

const createClientSettings = (credential: Credential, context: VendorContext) => ({
  region: textField(credential, 'aws_region') || process.env['AWS_REGION'] || 'us-east-1',
  maxAttempts: 1,
  logger: awsLogger,
  // The SDK's own handler for Polly speaks HTTP/2 and accepts no agent.
  requestHandler: createAwsRequestHandler(createTransport(context)),
})

/** Replaces the SDK's parser errors by an error that can be shown to the user. */
const rethrowUnreadable = (error: unknown): never => {
  if (error instanceof SyntaxError) throw new VendorError('The vendor returned an unreadable response')
  throw error
}

/**
 * The credential field that permits use of the server's own identity. It contains the SID of the account or the
 * provider.
 */
export const awsExternalId = 'aws_external_id'

const identityNotAllowed =
  'The service has no access key, and the operator does not allow the identity of the server (AWS_IDENTITY_FOR_SPEECH)'

const noIdentity = () => new VendorError('The server did not find its own AWS identity in time')

/**
 * Returns the stored access key, the keys of the stored role, or the server's own. The server's identity belongs to its
 * operator, so the latter two need the operator's consent, which is the external ID in the credential. AWS receives
 * that ID when a role is assumed, so that no tenant can use a role that trusts the server for another tenant (AWS IAM,
 * "confused deputy").
 */
const resolveKeys = async (credential: Credential, context: VendorContext): Promise<Keys> => {
  const accessKeyId = textField(credential, 'access_key_id')
  const secretAccessKey = textField(credential, 'secret_access_key')
  if (accessKeyId !== '') return { accessKeyId, secretAccessKey }
  const ExternalId = textField(credential, awsExternalId)
  if (ExternalId === '') throw new VendorError(identityNotAllowed)
  const sts = new STSClient(createClientSettings(credential, context))
  const own = await withTimeout(sts.config.credentials(), maxIdentitySeconds, noIdentity)
  const RoleArn = textField(credential, 'role_arn')
  if (RoleArn === '') return own
  const assume = { RoleArn, ExternalId, RoleSessionName: 'Jambonz_Speech', DurationSeconds: roleSeconds }
  const { Credentials } = await sts.send(new AssumeRoleCommand(assume)).catch(rethrowUnreadable)
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken } = Credentials ?? {}
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
}

const createPollyClient = async (credential: Credential, context: VendorContext): Promise<PollyClient> =>
  new PollyClient({ ...createClientSettings(credential, context), credentials: await resolveKeys(credential, context) })

const createTranscribeClient = async (credential: Credential, context: VendorContext): Promise<TranscribeClient> =>
  new TranscribeClient({
    ...createClientSettings(credential, context),
    credentials: await resolveKeys(credential, context),
  })

const listVoices = async (credential: Credential, context: VendorContext): Promise<Voice[]> => {
  const client = await createPollyClient(credential, context)
  const { Voices } = await client.send(new DescribeVoicesCommand({})).catch(rethrowUnreadable)
  if (Voices === undefined) throw new VendorError('The vendor answered without voices')
  return Voices
}

const requestLists = async (
  credential: Credential,
  staticLists: SpeechLists,
  context: VendorContext,
): Promise<SpeechLists> => {
  const voices = await listVoices(credential, context)
  const voicesWithLanguage = voices.map(
    ({ Id = '', Name = Id, Gender = '', LanguageCode = '', LanguageName = LanguageCode }) => ({
      language: { value: LanguageCode, name: LanguageName },
      voice: { value: Id, name: `${Name} (${Gender})` },
    }),
  )
  return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
}

export const aws: SpeechVendor = {
  async testTts(credential, context) {
    await listVoices(credential, context)
    return 'ok'
  },

  async testStt(credential, context) {
    const client = await createTranscribeClient(credential, context)
    const { Vocabularies } = await client.send(new ListVocabulariesCommand({})).catch(rethrowUnreadable)
    if (Vocabularies === undefined) throw new VendorError('The vendor answered without vocabularies')
    return 'ok'
  },

  async synthesize(credential, { text, language, voice, engine = 'standard' }, context) {
    const client = await createPollyClient(credential, context)
    const command = new SynthesizeSpeechCommand({
      Engine: engine as Engine,
      OutputFormat: 'mp3',
      Text: text,
      TextType: isSsml(text) ? 'ssml' : 'text',
      LanguageCode: language as LanguageCode,
      VoiceId: voice as VoiceId,
    })
    const { AudioStream } = await client.send(command).catch(rethrowUnreadable)
    const content = Buffer.from((await AudioStream?.transformToByteArray()) ?? [])
    if (content.length === 0) throw new VendorError('The vendor answered without audio')
    return { type: 'audio/mpeg', content }
  },

  lists: requestLists,
}
