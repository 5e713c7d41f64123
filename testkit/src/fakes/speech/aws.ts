import { type AccessKey, isSigned } from '../aws-signature.ts'
import { type FakeAnswer, type FakeRequest, type FakeVendor, parseJsonBody, spoken } from './fake-vendor.ts'

const region = 'us-east-1'

const account = 'arn:aws:iam::123456789012'

/** Identity of the server, and the role that it can assume with the external ID of one account. */
export const accountOfAws = '3f5bb0a4-6a4c-4d8c-9d1e-0c1f6a3f7e11'
export const serverOfAws = { id: 'AKIASERVEROFTESTS', secret: 'the secret of the server' }
export const roleOfAws = `${account}:role/speech`

const user: AccessKey = { id: 'AKIAUSEROFTESTS', secret: 'the secret of a user' }

const assumed: AccessKey & { token: string } = {
  id: 'ASIAROLEOFTESTS',
  secret: 'the secret of the role',
  token: 'the token of the role',
}

const refused = (status: number, type: string, message: string): FakeAnswer => ({
  status,
  headers: { 'x-amzn-errortype': type },
  body: { __type: type, message },
})

const badToken = refused(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.')

const badSignature = refused(
  403,
  'InvalidSignatureException',
  'The request signature we calculated does not match the signature you provided.',
)

const voices = [
  { Id: 'Joanna', Name: 'Joanna', Gender: 'Female', LanguageCode: 'en-US', LanguageName: 'US English' },
  { Id: 'Hans', Name: 'Hans', Gender: 'Male', LanguageCode: 'de-DE', LanguageName: 'German' },
  { Id: 'Matthew', Name: 'Matthew', Gender: 'Male', LanguageCode: 'en-US', LanguageName: 'US English' },
]

const synthesize = (request: FakeRequest): FakeAnswer => {
  const { Engine, OutputFormat, Text, TextType, LanguageCode, VoiceId } = parseJsonBody(request)
  const type = String(Text).startsWith('<speak') ? 'ssml' : 'text'
  const isValid = OutputFormat === 'mp3' && TextType === type && ['standard', 'neural'].includes(String(Engine))
  const isKnown = voices.some((voice) => voice.Id === VoiceId && voice.LanguageCode === LanguageCode)
  return isValid && isKnown ? spoken : refused(400, 'ValidationException', 'The request is not valid.')
}

const xml = (status: number, body: string): FakeAnswer => ({ status, headers: { 'content-type': 'text/xml' }, body })

const assumeRole = ({ body }: FakeRequest): FakeAnswer => {
  const form = new URLSearchParams(body.toString())
  const isValid = form.get('Action') === 'AssumeRole' && form.get('RoleSessionName') === 'Jambonz_Speech'
  if (!isValid || form.get('RoleArn') !== roleOfAws || form.get('ExternalId') !== accountOfAws)
    return xml(
      403,
      `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>`,
    )
  const keys = `<AccessKeyId>${assumed.id}</AccessKeyId><SecretAccessKey>${assumed.secret}</SecretAccessKey>`
  const session = `<SessionToken>${assumed.token}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>`
  return xml(
    200,
    `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${keys}${session}</Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  )
}

/** Returns the error for an unauthorized request. Keys of a role require their session token. */
const authorize = ({ method, url, headers, body }: FakeRequest, service: string): FakeAnswer | undefined => {
  const validKeys = service === 'sts' ? [serverOfAws] : [user, serverOfAws, assumed]
  const key = validKeys.find(({ id }) => headers.authorization?.includes(`Credential=${id}/`))
  const token = key === assumed ? assumed.token : undefined
  if (key === undefined || headers['x-amz-security-token'] !== token) return badToken
  const isOurs = isSigned({ method, url: `${url.pathname}${url.search}`, headers }, service, key, body)
  return isOurs ? undefined : badSignature
}

export const aws: FakeVendor = {
  name: 'aws',
  hosts: ['polly', 'sts', 'transcribe'].map((service) => `${service}.${region}.amazonaws.com`),
  credential: { access_key_id: user.id, secret_access_key: user.secret, aws_region: region },
  checked: { access_key_id: ['tts', 'stt'], secret_access_key: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers } = request
    const [service = ''] = url.hostname.split('.')
    const refusal = authorize(request, service)
    if (refusal !== undefined) return refusal
    switch (`${service} ${method} ${url.pathname}`) {
      case 'polly GET /v1/voices':
        return { body: { Voices: voices } }
      case 'polly POST /v1/speech':
        return synthesize(request)
      case 'sts POST /':
        return assumeRole(request)
      case 'transcribe POST /':
        if (headers['x-amz-target'] !== 'Transcribe.ListVocabularies') return refused(400, 'UnknownOperation', 'What?')
        return { body: { Vocabularies: [] } }
      default:
        return refused(404, 'UnknownOperationException', 'There is no such operation.')
    }
  },
}
