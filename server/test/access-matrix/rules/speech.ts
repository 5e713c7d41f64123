import { member, type TestApi } from '@patchbay/testkit/test-api'
import { admins, type CallerName, includes, membersOfP, ofA, ofA2, ofB, ofP, overA } from '../callers.ts'
import { defineRules, notFound, privileges, unique } from '../rule.ts'

/** Credential of a vendor that receives no requests in this test. */
const newCredential = () => ({ vendor: 'nvidia', label: unique(), riva_server_uri: 'riva.example.org:50051' })

/** Members of P can use the path, but do not learn of a credential of account A. Others cannot use the path. */
const hiddenFromMembers = (caller: CallerName) => (includes(membersOfP, caller) ? notFound : privileges)

/** Creates a credential that supports custom voices. */
const createGoogleCredential = async (api: TestApi, account_sid: string): Promise<string> => {
  const service_key = JSON.stringify({ client_email: 'nobody@example.org', private_key: 'none' })
  const body = { vendor: 'google', label: unique(), service_key, account_sid }
  return member(await api.admin.post(`/Accounts/${account_sid}/SpeechCredentials`, body), 'sid')
}

const keyForm = (): FormData => {
  const form = new FormData()
  form.set('file', new Blob(['key']), 'key.txt')
  return form
}

export const rules = defineRules({
  'GET /Accounts/:account_sid/SpeechCredentials': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/SpeechCredentials`,
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials': {
    may: membersOfP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/SpeechCredentials`,
  },
  'POST /Accounts/:account_sid/SpeechCredentials': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/SpeechCredentials`, body: newCredential() }),
  },
  'POST /ServiceProviders/:service_provider_sid/SpeechCredentials': {
    // Accounts always add to their own account.
    may: membersOfP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials`,
      body: { ...newCredential(), account_sid: sid.A },
    }),
  },
  'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/SpeechCredentials/${things.A.speech_credential_sid}`,
    }),
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    answers: 200,
    refused: hiddenFromMembers,
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/${things.A.speech_credential_sid}`,
    }),
  },
  'PUT /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/SpeechCredentials/${things.A.speech_credential_sid}`,
      body: { use_for_tts: 1, riva_server_uri: unique() },
    }),
  },
  'PUT /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: hiddenFromMembers,
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/${things.A.speech_credential_sid}`,
      body: { use_for_tts: 1, riva_server_uri: unique() },
    }),
  },
  'DELETE /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/SpeechCredentials/${things.A.speech_credential_sid}`,
    }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: hiddenFromMembers,
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/${things.A.speech_credential_sid}`,
    }),
  },
  'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid/test': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/SpeechCredentials/${things.A.speech_credential_sid}/test`,
    }),
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid/test': {
    may: overA,
    answers: 200,
    refused: hiddenFromMembers,
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/${things.A.speech_credential_sid}/test`,
    }),
  },
  'POST /patchbay/speech-credentials/test': {
    // For users of an account, the credential always belongs to their account.
    may: [...admins, ...ofP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 200,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/speech-credentials/test',
      body: {
        vendor: 'nvidia',
        riva_server_uri: 'riva.invalid:50051',
        use_for_tts: 0,
        use_for_stt: 0,
        account_sid: sid.A,
      },
    }),
  },
  'POST /patchbay/speech-credentials/:speech_credential_sid/test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/speech-credentials/${things.A.speech_credential_sid}/test`,
      body: { settings: { use_for_tts: 0, use_for_stt: 0, riva_server_uri: 'riva.invalid:50051' } },
    }),
  },
  'GET /Accounts/:account_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/Accounts/${sid.A}/SpeechCredentials/speech/supportedLanguagesAndVoices?vendor=nvidia`,
    }),
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': {
    may: membersOfP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/speech/supportedLanguagesAndVoices?vendor=nvidia`,
    }),
  },
  'PUT /patchbay/speech-credentials/:speech_credential_sid/keys': {
    may: overA,
    writes: true,
    // The vendor of this credential has no keys.
    answers: 422,
    says: 'api_key is not a key of this speech service',
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/speech-credentials/${things.A.speech_credential_sid}/keys`,
      body: { keys: { api_key: unique() } },
    }),
  },
  'GET /patchbay/speech-credentials/:speech_credential_sid/used-by': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => `/patchbay/speech-credentials/${things.A.speech_credential_sid}/used-by`,
  },
  'GET /GoogleCustomVoices': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/GoogleCustomVoices?speech_credential_sid=${things.A.speech_credential_sid}`,
  },
  'POST /GoogleCustomVoices': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: async ({ api, sid }) => ({
      path: '/GoogleCustomVoices',
      body: { speech_credential_sid: await createGoogleCredential(api, sid.A), name: unique(), model: 'm' },
    }),
  },
  'GET /GoogleCustomVoices/:google_custom_voice_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => `/GoogleCustomVoices/${things.A.google_custom_voice_sid}`,
  },
  'PUT /GoogleCustomVoices/:google_custom_voice_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({
      path: `/GoogleCustomVoices/${things.A.google_custom_voice_sid}`,
      body: { name: unique() },
    }),
  },
  'DELETE /GoogleCustomVoices/:google_custom_voice_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => `/GoogleCustomVoices/${things.A.google_custom_voice_sid}`,
  },
  'POST /GoogleCustomVoices/:google_custom_voice_sid/VoiceCloningKey': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({
      path: `/GoogleCustomVoices/${things.A.google_custom_voice_sid}/VoiceCloningKey`,
      body: keyForm(),
    }),
  },
  'POST /Accounts/:account_sid/TtsCache/Synthesize': {
    may: overA,
    writes: true,
    answers: 200,
    refused: privileges,
    call: ({ sid, things: { A } }) => ({
      path: `/Accounts/${sid.A}/TtsCache/Synthesize`,
      body: {
        speech_credential_sid: A.speech_credential_sid,
        text: 'Hello',
        language: 'en-US',
        voice: 'English-US.Female-1',
      },
    }),
  },
  'GET /TtsCache': { may: admins, answers: 200, refused: privileges, call: () => '/TtsCache' },
  'DELETE /TtsCache': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: () => '/TtsCache',
  },
  'GET /Accounts/:account_sid/TtsCache': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/TtsCache`,
  },
  'DELETE /Accounts/:account_sid/TtsCache': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => `/Accounts/${sid.A}/TtsCache`,
  },
})
