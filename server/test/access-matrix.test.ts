import { contract } from '@patchbay/contract/contract'
import { type Endpoint, splitKey } from '@patchbay/contract/endpoint'
import type { LiveCalls } from '@patchbay/server/adapters/live-calls/live-calls'
import { noLiveCalls } from '@patchbay/server/adapters/live-calls/null-live-calls'
import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/feature-server'
import { createSqlCalls } from '@patchbay/server/call-data/calls/sql-calls'
import { createUnsubscribeLinks } from '@patchbay/server/call-data/alerts/unsubscribe-links'
import { createAddressLink } from '@patchbay/server/resources/alert-destinations/address-confirmation'
import { findByEmail, createResetLink } from '@patchbay/server/auth/reset-links'
import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/speech/fake-vendor-server'
import { type Answer, type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { loopbackNetwork } from '@patchbay/testkit/fake-object-storage'
import { startStripe, type Stripe } from '@patchbay/testkit/stripe/stripe'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AccountThings,
  callRecord,
  createWorld,
  expired,
  isPaged,
  type KeyName,
  getMessage,
  parentQuery,
  statusAndMessage,
  getRows,
  signedIn,
  snapshot,
  sorted,
  storeCall,
  storeCapturedCall,
  storeMailbox,
  storeRecordedCall,
  storeTracedCall,
  type UserName,
  type World,
  worldPassword,
} from './fixtures.ts'

/**
 * Permissions of every kind of caller for every endpoint. The table is written by hand and not derived from the
 * product. The requested resources belong to account A of provider P.
 */

type EndpointName = keyof typeof contract

/* Groups of callers. */

const signedOut = ['nobody', 'a bad token', 'an expired token'] as const
const usersOfA = ['user of A', 'another user of A'] as const
const usersOfOthers = ['user of A2', 'user of B'] as const
const providerUsers = ['user of P', 'user of Q'] as const
const viewOnly = ['view-only user of A', 'view-only user of P', 'view-only admin'] as const
const mustChange = [
  'user of A who must change the password',
  'user of P who must change the password',
  'admin who must change the password',
] as const
const keys = ['key of A', 'key of A2', 'key of B', 'key of P', 'key of Q', 'admin key'] as const

const callers = [
  ...signedOut,
  ...usersOfA,
  ...usersOfOthers,
  ...providerUsers,
  'admin',
  ...viewOnly,
  ...mustChange,
  ...keys,
] as const
type CallerName = (typeof callers)[number]

const admins: readonly CallerName[] = ['admin', 'view-only admin', 'admin who must change the password', 'admin key']
const ofP: readonly CallerName[] = [
  'user of P',
  'view-only user of P',
  'user of P who must change the password',
  'key of P',
]
const ofQ: readonly CallerName[] = ['user of Q', 'key of Q']
const ofA: readonly CallerName[] = [
  ...usersOfA,
  'view-only user of A',
  'user of A who must change the password',
  'key of A',
]
const ofA2: readonly CallerName[] = ['user of A2', 'key of A2']
const ofB: readonly CallerName[] = ['user of B', 'key of B']

const everyone: readonly CallerName[] = callers.filter((name) => !includes(signedOut, name))
const providersAndAdmins = [...admins, ...ofP, ...ofQ]
/** Users of account A, of its provider, and admins. */
const overA = [...admins, ...ofP, ...ofA]
const overP = [...admins, ...ofP]
/** Callers of provider P, including all of its accounts. */
const membersOfP = [...overP, ...ofA, ...ofA2]

function includes(group: readonly string[], name: string): boolean {
  return group.includes(name)
}

/* Permissions of each endpoint. */

interface Request {
  path: string
  body?: object
}

interface Rule {
  may: readonly CallerName[] | 'public'
  /** The endpoint changes data, so view-only users are denied. */
  writes?: true
  /** API keys are denied. */
  usersOnly?: true
  /** Also allowed for users who must change their password. */
  beforePasswordChange?: true
  /** Also allowed for view-only users although it writes. */
  viewOnlyMay?: true
  answers: number
  /** Expected msg if the response to permitted callers is an error. */
  says?: string
  /** Expected status and msg for callers without permission, per caller if they differ. */
  refused?: [number, string] | ((caller: CallerName) => [number, string])
  call: (world: World, caller: CallerName) => Request | Promise<Request>
}

const permissions: [number, string] = [403, 'insufficient permissions']
const privileges: [number, string] = [403, 'insufficient privileges']
const forbidden: [number, string] = [403, 'Forbidden']
const notFound: [number, string] = [404, 'Not Found']

const calls = 'page=1&count=25'
const quality = 'from=2026-11-01&until=2026-11-30'
const unique = () => randomUUID().slice(0, 20)

/** Credential of a vendor that receives no requests in this test. */
const newCredential = () => ({ vendor: 'nvidia', label: unique(), riva_server_uri: 'riva.example.org:50051' })

/** Creates an application whose webhooks do not respond. */
const createUnreachableApplication = async (account_sid: string): Promise<string> => {
  const hook = { url: 'http://127.0.0.1:1' }
  const body = { name: unique(), account_sid, call_hook: hook, call_status_hook: hook }
  return member(await api.admin.post('/Applications', body), 'sid')
}

/** Creates a credential that supports custom voices. */
const createGoogleCredential = async (account_sid: string): Promise<string> => {
  const service_key = JSON.stringify({ client_email: 'nobody@example.org', private_key: 'none' })
  const body = { vendor: 'google', label: unique(), service_key, account_sid }
  return member(await api.admin.post(`/Accounts/${account_sid}/SpeechCredentials`, body), 'sid')
}

const keyForm = (): FormData => {
  const form = new FormData()
  form.set('file', new Blob(['key']), 'key.txt')
  return form
}

/** A carrier template that every installation has (docs/reference/platform-api/carriers.md#initial-templates). */
const twilio = '7d509a18-bbff-4c5d-b21e-b99bf8f8c49a'

/** Creates the link of a password reset mail. */
const issueResetLink = async ({ user_sid }: { user_sid: string }): Promise<string> => {
  const { database } = api.test
  const user = await findByEmail(database, `${user_sid}@example.org`)
  return user ? createResetLink(database, user) : ''
}

/**
 * Deletes the routing table of an account. Only callers with permission have a separate world in which this is
 * possible.
 */
const withoutRouting = async (world: World, account: 'A' | 'A2' | 'B'): Promise<void> => {
  if (world !== shared) await api.admin.delete(`/Lcrs/${world.things[account].lcr_sid}`)
}

const withoutOwnRouting = async (world: World, caller: CallerName): Promise<void> => {
  if (includes(ofA, caller)) await withoutRouting(world, 'A')
  if (includes(ofA2, caller)) await withoutRouting(world, 'A2')
  if (includes(ofB, caller)) await withoutRouting(world, 'B')
}

/**
 * The routing tables of an account are accessible to the account and admins, but not to its provider
 * (docs/reference/platform-api/outbound-routing.md#visibility-of-routings).
 */
const overRoutingOfA = [...admins, ...ofA]
const unknownLcr: [number, string] = [400, 'unknown lcr_sid']

const accountPeople = [...ofA, ...ofA2, ...ofB]

/** View-only callers are denied before the lookup of the customer. */
const noCustomer = (caller: CallerName): [number, string] =>
  caller === 'view-only user of A' ? [403, 'User has view-only access'] : notFound

const rules: Readonly<Record<EndpointName, Rule>> = {
  'GET /Prices': { may: everyone, answers: 200, call: () => ({ path: '/Prices' }) },
  'GET /StripeCustomerId': {
    may: accountPeople.filter((name) => !includes(viewOnly, name)),
    answers: 200,
    refused: noCustomer,
    call: () => ({ path: '/StripeCustomerId' }),
  },
  'DELETE /StripeCustomerId': {
    may: accountPeople,
    writes: true,
    answers: 204,
    refused: notFound,
    call: async (world, caller) => {
      if (world !== shared) await (await getCaller(world, caller)).get('/StripeCustomerId')
      return { path: '/StripeCustomerId' }
    },
  },
  'GET /Invoices': { may: everyone, answers: 404, says: 'Not Found', call: () => ({ path: '/Invoices' }) },
  'GET /Accounts/:account_sid/Charges': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Charges` }),
  },
  'GET /Subscriptions': { may: everyone, answers: 404, says: 'Not Found', call: () => ({ path: '/Subscriptions' }) },
  'POST /Subscriptions': {
    may: accountPeople,
    writes: true,
    answers: 200,
    refused: notFound,
    call: () => ({ path: '/Subscriptions', body: { action: 'downgrade-to-free' } }),
  },
  'POST /stripe/webhook': {
    may: 'public',
    answers: 400,
    says: 'The signature is not one of Stripe for this body',
    call: () => ({ path: '/stripe/webhook', body: { id: 'evt_of_nobody' } }),
  },

  'POST /login': {
    may: 'public',
    answers: 200,
    call: ({ users }) => ({ path: '/login', body: { username: users['user of A'].name, password: worldPassword } }),
  },
  'POST /logout': {
    may: everyone,
    writes: true,
    viewOnlyMay: true,
    usersOnly: true,
    beforePasswordChange: true,
    answers: 204,
    refused: forbidden,
    call: () => ({ path: '/logout' }),
  },
  'POST /register': { may: 'public', answers: 400, says: 'missing provider', call: () => ({ path: '/register' }) },
  'POST /patchbay/sign-in-links': {
    may: 'public',
    answers: 403,
    says: 'This offer to link has ended: begin again with the sign-in provider',
    call: () => ({ path: '/patchbay/sign-in-links', body: { ticket: unique(), password: worldPassword } }),
  },
  'PUT /ActivationCode/:code': {
    may: 'public',
    answers: 400,
    says: 'invalid user or activation code',
    call: () => ({ path: '/ActivationCode/123456', body: { user_sid: randomUUID(), type: 'email' } }),
  },
  'POST /ActivationCode': {
    may: 'public',
    answers: 400,
    says: 'invalid user_sid',
    call: () => ({ path: '/ActivationCode', body: { user_sid: randomUUID(), type: 'email' } }),
  },
  'POST /InviteCodes': {
    may: 'public',
    answers: 404,
    says: 'Not Found',
    call: () => ({ path: '/InviteCodes', body: { code: 'ABCXYZ' } }),
  },
  'POST /BetaInviteCodes': {
    may: admins,
    writes: true,
    answers: 200,
    refused: permissions,
    call: () => ({ path: '/BetaInviteCodes', body: {} }),
  },
  'POST /forgot-password': {
    may: 'public',
    answers: 204,
    call: () => ({ path: '/forgot-password', body: { email: `${randomUUID()}@example.org` } }),
  },
  'POST /signin': {
    may: 'public',
    answers: 200,
    call: async ({ users }) => ({ path: '/signin', body: { link: await issueResetLink(users['user of A']) } }),
  },
  'POST /change-password': {
    may: everyone,
    writes: true,
    viewOnlyMay: true,
    usersOnly: true,
    beforePasswordChange: true,
    answers: 204,
    refused: forbidden,
    call: () => ({ path: '/change-password', body: { old_password: worldPassword, new_password: `New-${unique()}` } }),
  },
  'POST /patchbay/session': {
    may: everyone,
    writes: true,
    viewOnlyMay: true,
    usersOnly: true,
    answers: 200,
    refused: forbidden,
    call: () => ({ path: '/patchbay/session' }),
  },

  'GET /Users/me': {
    may: everyone,
    usersOnly: true,
    answers: 200,
    refused: forbidden,
    call: () => ({ path: '/Users/me' }),
  },
  'GET /Users': { may: everyone, answers: 200, call: () => ({ path: '/Users' }) },
  'GET /Users/:user_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ users }) => ({ path: `/Users/${users['another user of A'].user_sid}` }),
  },
  'POST /Users': {
    // Accounts create users only in their own account, regardless of the request. Only a provider can name a wrong
    // account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'account_sid is not an account of this service provider'],
    call: ({ sid }) => {
      const name = `new ${randomUUID()}`
      return { path: '/Users', body: { name, email: name, initial_password: worldPassword, account_sid: sid.A } }
    },
  },
  'PUT /Users/:user_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: forbidden,
    call: ({ users }) => ({
      path: `/Users/${users['another user of A'].user_sid}`,
      body: { name: `changed ${randomUUID()}` },
    }),
  },
  'DELETE /Users/:user_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ users }) => ({ path: `/Users/${users['another user of A'].user_sid}` }),
  },

  'GET /PasswordSettings': {
    may: everyone,
    beforePasswordChange: true,
    answers: 200,
    call: () => ({ path: '/PasswordSettings' }),
  },
  'POST /PasswordSettings': {
    may: admins,
    writes: true,
    answers: 201,
    refused: forbidden,
    call: () => ({ path: '/PasswordSettings', body: { min_password_length: 7 } }),
  },
  'PUT /PasswordSettings': {
    may: admins,
    writes: true,
    answers: 204,
    refused: forbidden,
    call: () => ({ path: '/PasswordSettings', body: { min_password_length: 9 } }),
  },

  'GET /SystemInformation': {
    may: admins,
    answers: 200,
    refused: privileges,
    call: () => ({ path: '/SystemInformation' }),
  },
  'POST /SystemInformation': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/SystemInformation', body: { domain_name: `${unique()}.example.org` } }),
  },

  'GET /ServiceProviders': { may: everyone, answers: 200, call: () => ({ path: '/ServiceProviders' }) },
  'POST /ServiceProviders': {
    may: admins,
    writes: true,
    answers: 201,
    refused: [403, 'only admin users can add a service provider'],
    call: () => ({ path: '/ServiceProviders', body: { name: `made ${unique()}` } }),
  },
  'GET /ServiceProviders/:service_provider_sid': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}` }),
  },
  'PUT /ServiceProviders/:service_provider_sid': {
    may: overP,
    writes: true,
    answers: 204,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}`, body: { name: `changed ${unique()}` } }),
  },
  'DELETE /ServiceProviders/:service_provider_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: [403, 'only admin users can delete a service provider'],
    call: async ({ sid }, caller) => {
      // Only an empty provider can be deleted. Callers without permission request P itself.
      const target = includes(admins, caller) ? await api.provider() : sid.P
      return { path: `/ServiceProviders/${target}` }
    },
  },
  'GET /patchbay/service-providers/:service_provider_sid/contents': {
    // Created for callers who may delete the provider.
    may: admins,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/patchbay/service-providers/${sid.P}/contents` }),
  },

  'GET /Availability': {
    may: everyone,
    answers: 200,
    call: () => ({ path: `/Availability?type=subdomain&value=${unique()}.sip.example.org` }),
  },
  'POST /Accounts/:account_sid/SipRealms/:sip_realm': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/SipRealms/${unique()}a.sip.example.org` }),
  },
  'GET /Accounts': { may: everyone, answers: 200, call: () => ({ path: '/Accounts' }) },
  'GET /ServiceProviders/:service_provider_sid/Accounts': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Accounts` }),
  },
  'POST /Accounts': {
    // For providers, the server ignores the requested provider: see accounts.test.ts.
    may: providersAndAdmins,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: '/Accounts', body: { name: 'made', service_provider_sid: sid.P } }),
  },
  'GET /patchbay/accounts/taken': {
    may: everyone,
    answers: 200,
    call: ({ sid }) => ({ path: `/patchbay/accounts/taken?name=made&service_provider_sid=${sid.P}` }),
  },
  'GET /Accounts/:account_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}` }),
  },
  'PUT /Accounts/:account_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}`, body: { name: `changed ${unique()}` } }),
  },
  'DELETE /Accounts/:account_sid': {
    // In hosted installations, users of the account must confirm their password. Keys cannot do this.
    may: overA.filter((name) => name !== 'key of A'),
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }, caller) => ({
      path: `/Accounts/${sid.A}`,
      body: includes(ofA, caller) ? { password: worldPassword } : {},
    }),
  },
  'GET /patchbay/accounts/:account_sid/contents': {
    // Created for callers who may delete the account.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/contents` }),
  },
  'GET /Accounts/:account_sid/WebhookSecret': {
    // Callers who may edit the account get the complete secret, so reading it counts as writing.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/WebhookSecret` }),
  },

  'POST /Accounts/:account_sid/BucketCredentialTest': {
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/BucketCredentialTest`, body: { vendor: 'none' } }),
  },
  'GET /patchbay/accounts/:account_sid/blockers': {
    // Created for callers who may delete the account.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/blockers` }),
  },

  'GET /Applications': { may: everyone, answers: 200, call: () => ({ path: '/Applications' }) },
  'GET /Accounts/:account_sid/Applications': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Applications` }),
  },
  'GET /ServiceProviders/:service_provider_sid/Applications': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Applications` }),
  },
  'GET /Applications/:application_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/Applications/${things.A.application_sid}` }),
  },
  'POST /Applications': {
    // Accounts always add to their own account. Only a provider can name a wrong one.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({
      path: '/Applications',
      body: {
        name: unique(),
        account_sid: sid.A,
        call_hook: { url: 'https://app.example.org' },
        call_status_hook: { url: 'https://app.example.org' },
      },
    }),
  },
  'PUT /Applications/:application_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: (caller) => (includes(ofQ, caller) ? permissions : privileges),
    call: ({ things }) => ({
      path: `/Applications/${things.A.application_sid}`,
      body: { name: unique(), call_hook: { url: 'https://changed.example.org' } },
    }),
  },
  'DELETE /Applications/:application_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: (caller) => [includes(ofQ, caller) ? 403 : 422, 'insufficient permissions'],
    call: ({ things }) => ({ path: `/Applications/${things.A.application_sid}` }),
  },
  'GET /patchbay/applications/:application_sid/used-by': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/applications/${things.A.application_sid}/used-by` }),
  },
  'POST /patchbay/applications/:application_sid/webhook-test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: notFound,
    call: async ({ sid }) => ({
      path: `/patchbay/applications/${await createUnreachableApplication(sid.A)}/webhook-test`,
      body: { hook: 'call_hook', from: '1', to: '2' },
    }),
  },

  'GET /Accounts/:account_sid/SpeechCredentials': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/SpeechCredentials` }),
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials': {
    may: membersOfP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/SpeechCredentials` }),
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
    refused: privileges,
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
    refused: privileges,
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
    refused: privileges,
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
    refused: privileges,
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/SpeechCredentials/${things.A.speech_credential_sid}/test`,
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
  'GET /patchbay/speech-credentials/:speech_credential_sid/used-by': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/patchbay/speech-credentials/${things.A.speech_credential_sid}/used-by` }),
  },

  'GET /GoogleCustomVoices': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/GoogleCustomVoices?speech_credential_sid=${things.A.speech_credential_sid}` }),
  },
  'POST /GoogleCustomVoices': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: async ({ sid }) => ({
      path: '/GoogleCustomVoices',
      body: { speech_credential_sid: await createGoogleCredential(sid.A), name: unique(), model: 'm' },
    }),
  },
  'GET /GoogleCustomVoices/:google_custom_voice_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/GoogleCustomVoices/${things.A.google_custom_voice_sid}` }),
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
    call: ({ things }) => ({ path: `/GoogleCustomVoices/${things.A.google_custom_voice_sid}` }),
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

  'GET /PhoneNumbers': { may: everyone, answers: 200, call: () => ({ path: '/PhoneNumbers' }) },
  'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/PhoneNumbers` }),
  },
  'GET /PhoneNumbers/:phone_number_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/PhoneNumbers/${things.A.phone_number_sid}` }),
  },
  'POST /PhoneNumbers': {
    // Accounts always add to their own account. Only a provider can name a wrong one.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({ path: '/PhoneNumbers', body: { number: unique(), account_sid: sid.A } }),
  },
  'PUT /PhoneNumbers/:phone_number_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({
      path: `/PhoneNumbers/${things.A.phone_number_sid}`,
      body: { application_sid: things.A.application_sid },
    }),
  },
  'DELETE /PhoneNumbers/:phone_number_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({ path: `/PhoneNumbers/${things.A.phone_number_sid}` }),
  },

  'GET /patchbay/phone-numbers': {
    may: everyone,
    answers: 200,
    call: () => ({ path: '/patchbay/phone-numbers?page=1' }),
  },
  'POST /patchbay/phone-numbers/routing': {
    may: overA,
    writes: true,
    answers: 200,
    refused: [400, 'unknown application_sid'],
    call: ({ things: { A } }) => ({
      path: '/patchbay/phone-numbers/routing',
      body: { application_sid: A.application_sid, phone_number_sids: [A.phone_number_sid] },
    }),
  },
  'POST /patchbay/phone-numbers/import': {
    // Rows that name resources of another tenant fail individually: see bulk-phone-numbers.test.ts.
    may: everyone,
    writes: true,
    answers: 200,
    call: ({ sid, things: { A } }) => ({
      path: '/patchbay/phone-numbers/import',
      body: {
        service_provider_sid: sid.P,
        dry_run: false,
        rows: [{ number: unique(), carrier: A.voip_carrier_sid, account: sid.A }],
      },
    }),
  },

  'GET /MicrosoftTeamsTenants': { may: everyone, answers: 200, call: () => ({ path: '/MicrosoftTeamsTenants' }) },
  'GET /patchbay/ms-teams-tenants/applications': {
    may: everyone,
    answers: 200,
    call: () => ({ path: '/patchbay/ms-teams-tenants/applications' }),
  },
  'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}` }),
  },
  'POST /MicrosoftTeamsTenants': {
    // Accounts always add to their own account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'service_provider_sid must be your own'],
    call: ({ sid }) => ({
      path: '/MicrosoftTeamsTenants',
      body: { service_provider_sid: sid.P, account_sid: sid.A, tenant_fqdn: `${unique()}.example.org` },
    }),
  },
  'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}`,
      body: { tenant_fqdn: `${unique()}.example.org` },
    }),
  },
  'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/MicrosoftTeamsTenants/${things.A.ms_teams_tenant_sid}` }),
  },

  'GET /Clients': { may: everyone, answers: 200, call: () => ({ path: '/Clients' }) },
  'POST /Clients': {
    // Accounts always add to their own account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: '/Clients', body: { account_sid: sid.A, username: unique() } }),
  },
  'GET /Clients/:client_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/Clients/${things.A.client_sid}` }),
  },
  'PUT /Clients/:client_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/Clients/${things.A.client_sid}`, body: { is_active: false } }),
  },
  'DELETE /Clients/:client_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/Clients/${things.A.client_sid}` }),
  },

  'GET /VoipCarriers': { may: everyone, answers: 200, call: () => ({ path: '/VoipCarriers' }) },
  'GET /ServiceProviders/:service_provider_sid/VoipCarriers': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/VoipCarriers` }),
  },
  'GET /Accounts/:account_sid/VoipCarriers': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/VoipCarriers` }),
  },
  'POST /VoipCarriers': {
    may: everyone,
    writes: true,
    answers: 201,
    call: () => ({ path: '/VoipCarriers', body: { name: unique() } }),
  },
  'POST /ServiceProviders/:service_provider_sid/VoipCarriers': {
    may: overP,
    writes: true,
    answers: 201,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/VoipCarriers`, body: { name: unique() } }),
  },
  'POST /Accounts/:account_sid/VoipCarriers': {
    may: overA,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/VoipCarriers`, body: { name: unique() } }),
  },
  'GET /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/VoipCarriers/${things.A.voip_carrier_sid}` }),
  },
  'PUT /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: [422, 'carrier belongs to a different user'],
    call: ({ things }) => ({ path: `/VoipCarriers/${things.A.voip_carrier_sid}`, body: { name: unique() } }),
  },
  'PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid': {
    may: overP,
    writes: true,
    answers: 204,
    refused: [403, 'insufficient permissions to update service provider'],
    call: ({ sid, things }) => ({
      path: `/ServiceProviders/${sid.P}/VoipCarriers/${things.A.voip_carrier_sid}`,
      body: { name: unique() },
    }),
  },
  'PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/VoipCarriers/${things.A.voip_carrier_sid}`,
      body: { name: unique() },
    }),
  },
  'DELETE /VoipCarriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: [422, 'carrier belongs to a different user'],
    call: async (world) => {
      await withoutRouting(world, 'A')
      return { path: `/VoipCarriers/${world.things.A.voip_carrier_sid}` }
    },
  },

  'POST /patchbay/carriers': {
    may: everyone,
    writes: true,
    answers: 201,
    call: () => ({
      path: '/patchbay/carriers',
      body: {
        carrier: { name: unique() },
        sip_gateways: [{ ipv4: '10.1.2.3' }],
        smpp_gateways: [{ ipv4: 'a.example' }],
      },
    }),
  },
  'PUT /patchbay/carriers/:voip_carrier_sid': {
    may: overA,
    writes: true,
    answers: 200,
    refused: [422, 'carrier belongs to a different user'],
    call: ({ things }) => ({
      path: `/patchbay/carriers/${things.A.voip_carrier_sid}`,
      body: { carrier: { name: unique() }, sip_gateways: [{ ipv4: '10.1.2.3' }] },
    }),
  },
  'GET /patchbay/carriers/:voip_carrier_sid/used-by': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/patchbay/carriers/${things.A.voip_carrier_sid}/used-by` }),
  },
  'GET /patchbay/gateway-counts': {
    may: everyone,
    answers: 200,
    call: ({ things }) => ({ path: `/patchbay/gateway-counts?voip_carrier_sid=${things.A.voip_carrier_sid}` }),
  },

  'GET /SipGateways': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/SipGateways?voip_carrier_sid=${things.A.voip_carrier_sid}` }),
  },
  'POST /SipGateways': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ things }) => ({
      path: '/SipGateways',
      body: { voip_carrier_sid: things.A.voip_carrier_sid, ipv4: '10.1.2.3' },
    }),
  },
  'GET /SipGateways/:sip_gateway_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/SipGateways/${things.A.sip_gateway_sid}` }),
  },
  'PUT /SipGateways/:sip_gateway_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({ path: `/SipGateways/${things.A.sip_gateway_sid}`, body: { port: 5080 } }),
  },
  'DELETE /SipGateways/:sip_gateway_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({ path: `/SipGateways/${things.A.sip_gateway_sid}` }),
  },

  'GET /SmppGateways': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/SmppGateways?voip_carrier_sid=${things.A.voip_carrier_sid}` }),
  },
  'POST /SmppGateways': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ things }) => ({
      path: '/SmppGateways',
      body: { voip_carrier_sid: things.A.voip_carrier_sid, ipv4: '10.1.2.3' },
    }),
  },
  'GET /SmppGateways/:smpp_gateway_sid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ things }) => ({ path: `/SmppGateways/${things.A.smpp_gateway_sid}` }),
  },
  'PUT /SmppGateways/:smpp_gateway_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({ path: `/SmppGateways/${things.A.smpp_gateway_sid}`, body: { port: 5080 } }),
  },
  'DELETE /SmppGateways/:smpp_gateway_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ things }) => ({ path: `/SmppGateways/${things.A.smpp_gateway_sid}` }),
  },

  'GET /PredefinedCarriers': { may: 'public', answers: 200, call: () => ({ path: '/PredefinedCarriers' }) },
  'POST /ServiceProviders/:service_provider_sid/PredefinedCarriers/:predefined_carrier_sid': {
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/PredefinedCarriers/${twilio}` }),
  },
  'POST /Accounts/:account_sid/PredefinedCarriers/:predefined_carrier_sid': {
    may: overA,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/PredefinedCarriers/${twilio}` }),
  },

  'GET /Lcrs': { may: everyone, answers: 200, call: () => ({ path: '/Lcrs' }) },
  'POST /Lcrs': {
    may: everyone,
    writes: true,
    answers: 201,
    call: async (world, caller) => {
      await withoutOwnRouting(world, caller)
      return { path: '/Lcrs', body: { name: unique() } }
    },
  },
  'GET /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/Lcrs/${things.A.lcr_sid}` }),
  },
  'PUT /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: unknownLcr,
    call: ({ things }) => ({ path: `/Lcrs/${things.A.lcr_sid}`, body: { name: unique() } }),
  },
  'DELETE /Lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: unknownLcr,
    call: ({ things }) => ({ path: `/Lcrs/${things.A.lcr_sid}` }),
  },
  'POST /Lcrs/:lcr_sid/Routes': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/Lcrs/${things.A.lcr_sid}/Routes`,
      body: [{ regex: '^2', priority: 1, lcr_carrier_set_entries: [{ voip_carrier_sid: things.A.voip_carrier_sid }] }],
    }),
  },
  'PUT /Lcrs/:lcr_sid/Routes': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/Lcrs/${things.A.lcr_sid}/Routes`,
      body: [{ regex: '^2', priority: 1, lcr_carrier_set_entries: [{ voip_carrier_sid: things.A.voip_carrier_sid }] }],
    }),
  },
  'GET /patchbay/inbound-routing': {
    may: everyone,
    answers: 200,
    call: () => ({ path: '/patchbay/inbound-routing?source=10.1.1.1&number=1&realm=10.0.0.1' }),
  },
  'POST /patchbay/lcrs': {
    may: everyone,
    writes: true,
    answers: 201,
    call: async (world, caller) => {
      await withoutOwnRouting(world, caller)
      const { A, A2, B } = world.things
      const own = includes(ofA2, caller) ? A2 : includes([...ofB, ...ofQ], caller) ? B : A
      const body = { name: unique(), routes: [], default_voip_carrier_sid: own.voip_carrier_sid }
      return { path: '/patchbay/lcrs', body }
    },
  },
  'PUT /patchbay/lcrs/:lcr_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/lcrs/${things.A.lcr_sid}`,
      body: { routes: [], default_voip_carrier_sid: things.A.voip_carrier_sid },
    }),
  },
  'GET /LcrRoutes': {
    may: overRoutingOfA,
    answers: 200,
    refused: unknownLcr,
    call: ({ things }) => ({ path: `/LcrRoutes?lcr_sid=${things.A.lcr_sid}` }),
  },
  'POST /LcrRoutes': {
    may: overRoutingOfA,
    writes: true,
    answers: 201,
    refused: unknownLcr,
    call: ({ things }) => ({ path: '/LcrRoutes', body: { lcr_sid: things.A.lcr_sid, regex: '^2', priority: 1 } }),
  },
  'GET /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrRoutes/${things.A.lcr_route_sid}` }),
  },
  'PUT /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrRoutes/${things.A.lcr_route_sid}`, body: { priority: 2 } }),
  },
  'DELETE /LcrRoutes/:lcr_route_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrRoutes/${things.A.lcr_route_sid}` }),
  },
  // A route of another tenant has no visible entries, like an unknown route.
  'GET /LcrCarrierSetEntries': {
    may: everyone,
    answers: 200,
    call: ({ things }) => ({ path: `/LcrCarrierSetEntries?lcr_route_sid=${things.A.lcr_route_sid}` }),
  },
  'POST /LcrCarrierSetEntries': {
    may: overRoutingOfA,
    writes: true,
    answers: 201,
    refused: [400, 'unknown lcr_route_sid'],
    call: ({ things }) => ({
      path: '/LcrCarrierSetEntries',
      body: { lcr_route_sid: things.A.lcr_route_sid, voip_carrier_sid: things.A.voip_carrier_sid },
    }),
  },
  'GET /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}` }),
  },
  'PUT /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}`,
      body: { workload: 2 },
    }),
  },
  'DELETE /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    may: overRoutingOfA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/LcrCarrierSetEntries/${things.A.lcr_carrier_set_entry_sid}` }),
  },

  'GET /AppEnv': {
    may: everyone,
    // No server listens at this address.
    answers: 204,
    call: () => ({ path: '/AppEnv?url=http://127.0.0.1:1' }),
  },
  'GET /Sbcs': { may: everyone, answers: 200, call: () => ({ path: '/Sbcs' }) },
  'POST /Sbcs': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/Sbcs', body: { ipv4: '10.9.9.9' } }),
  },
  'DELETE /Sbcs/:sbc_address_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async () => ({ path: `/Sbcs/${member(await api.admin.post('/Sbcs', { ipv4: '10.9.9.9' }), 'sid')}` }),
  },
  'GET /Smpps': { may: everyone, answers: 200, call: () => ({ path: '/Smpps' }) },
  'POST /Smpps': {
    may: admins,
    writes: true,
    answers: 201,
    refused: privileges,
    call: () => ({ path: '/Smpps', body: { ipv4: '10.9.9.9' } }),
  },
  'DELETE /Smpps/:smpp_address_sid': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async () => ({ path: `/Smpps/${member(await api.admin.post('/Smpps', { ipv4: '10.9.9.9' }), 'sid')}` }),
  },

  'POST /ApiKeys': {
    may: overA,
    writes: true,
    answers: 201,
    refused: (caller) =>
      includes(ofQ, caller)
        ? [400, 'a service provider token can only be used to create tokens for the same service provider']
        : [400, 'an account level token can only be used to create account level tokens for the same account'],
    call: ({ sid }) => ({ path: '/ApiKeys', body: { account_sid: sid.A } }),
  },
  'DELETE /ApiKeys/:api_key_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: (caller) =>
      includes(ofQ, caller)
        ? [400, 'a service provider user may not delete api key from another service provider']
        : [400, 'a user may not delete a token associated with a different account'],
    call: (world) => ({ path: `/ApiKeys/${world.keys['key of A'].api_key_sid}` }),
  },
  'GET /Accounts/:account_sid/ApiKeys': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/ApiKeys` }),
  },
  'POST /Accounts/:account_sid/ApiKeys': {
    may: overA,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/ApiKeys`, body: {} }),
  },
  'DELETE /Accounts/:account_sid/ApiKeys/:api_key_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: (world) => ({ path: `/Accounts/${world.sid.A}/ApiKeys/${world.keys['key of A'].api_key_sid}` }),
  },
  'POST /ServiceProviders/:service_provider_sid/ApiKeys': {
    may: overP,
    writes: true,
    answers: 201,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/ApiKeys`, body: {} }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/ApiKeys/:api_key_sid': {
    may: overP,
    writes: true,
    answers: 204,
    refused: permissions,
    call: (world) => ({ path: `/ServiceProviders/${world.sid.P}/ApiKeys/${world.keys['key of P'].api_key_sid}` }),
  },
  'GET /ServiceProviders/:service_provider_sid/ApiKeys': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/ApiKeys` }),
  },
  'GET /patchbay/platform-api-keys': {
    may: admins,
    answers: 200,
    refused: permissions,
    call: () => ({ path: '/patchbay/platform-api-keys' }),
  },

  'GET /Accounts/:account_sid/Limits': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Limits` }),
  },
  'POST /Accounts/:account_sid/Limits': {
    // Only the operator of an account may change its limits.
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Limits`, body: { category: 'device', quantity: 99 } }),
  },
  'DELETE /Accounts/:account_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Limits` }),
  },
  'GET /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Limits` }),
  },
  'POST /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    writes: true,
    answers: 201,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Limits`, body: { category: 'device', quantity: 99 } }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/Limits': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Limits` }),
  },

  'GET /TtsCache': { may: admins, answers: 200, refused: privileges, call: () => ({ path: '/TtsCache' }) },
  'DELETE /TtsCache': {
    may: admins,
    writes: true,
    answers: 204,
    refused: privileges,
    call: () => ({ path: '/TtsCache' }),
  },
  'GET /Accounts/:account_sid/TtsCache': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/TtsCache` }),
  },
  'DELETE /Accounts/:account_sid/TtsCache': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/TtsCache` }),
  },

  'GET /Accounts/:account_sid/RecentCalls': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/RecentCalls?${calls}` }),
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/RecentCalls?${calls}` }),
  },
  'GET /patchbay/accounts/:account_sid/call-legs': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/call-legs?sip_callid=a-call-id` }),
  },
  'GET /patchbay/accounts/:account_sid/recent-calls.csv': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/recent-calls.csv` }),
  },
  'GET /patchbay/service-providers/:service_provider_sid/recent-calls.csv': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/service-providers/${sid.P}/recent-calls.csv` }),
  },
  'GET /patchbay/accounts/:account_sid/call-quality': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/call-quality?${quality}` }),
  },
  'GET /patchbay/service-providers/:service_provider_sid/call-quality': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/service-providers/${sid.P}/call-quality?${quality}` }),
  },
  'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const trace_id = await storeTracedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/trace/${trace_id}` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const trace_id = await storeTracedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/trace/${trace_id}` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const call_sid = await storeCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${call_sid}/logs` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': {
    may: overP,
    answers: 400,
    says: 'account_sid is required: ask for /Accounts/{account_sid}/RecentCalls/{call_sid}/logs',
    refused: privileges,
    call: ({ sid: { P } }) => ({ path: `/ServiceProviders/${P}/RecentCalls/${randomUUID()}/logs` }),
  },

  'GET /Accounts/:account_sid/Calls': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls` }),
  },
  'POST /Accounts/:account_sid/Calls': {
    // Providers are denied but their accounts are not, as in the API of jambonz.
    may: [...admins, ...ofA],
    writes: true,
    answers: 201,
    refused: (caller) =>
      includes(ofP, caller) ? [400, `unauthorized createCall request for account ${shared.sid.A}`] : permissions,
    call: ({ sid, things }) => ({
      path: `/Accounts/${sid.A}/Calls`,
      body: { from: '1508', to: { type: 'user', name: 'desk' }, application_sid: things.A.application_sid },
    }),
  },
  'GET /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}` }),
  },
  'PUT /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 202,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}`, body: { call_status: 'completed' } }),
  },
  'POST /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 202,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}`, body: { call_status: 'completed' } }),
  },
  'DELETE /Accounts/:account_sid/Calls/:call_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Calls/${randomUUID()}` }),
  },
  'GET /Accounts/:account_sid/CallCount': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/CallCount` }),
  },
  'POST /Accounts/:account_sid/Messages': {
    may: ofA,
    writes: true,
    answers: 201,
    refused: (caller) =>
      includes([...admins, ...ofP], caller)
        ? [400, `unauthorized createMessage request for account ${shared.sid.A}`]
        : permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Messages`, body: { from: '1508', to: '1617', text: 'hello' } }),
  },
  'GET /Accounts/:account_sid/Queues': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Queues` }),
  },
  'GET /Accounts/:account_sid/Conferences': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Conferences` }),
  },

  'GET /Accounts/:account_sid/Alerts': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/Alerts?${calls}` }),
  },
  'GET /ServiceProviders/:service_provider_sid/Alerts': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/ServiceProviders/${sid.P}/Alerts?${calls}` }),
  },
  'GET /patchbay/accounts/:account_sid/alert-destinations': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/accounts/${sid.A}/alert-destinations` }),
  },
  'GET /patchbay/service-providers/:service_provider_sid/alert-destinations': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: ({ sid }) => ({ path: `/patchbay/service-providers/${sid.P}/alert-destinations` }),
  },
  'POST /patchbay/alert-destinations': {
    // For users of an account, the resource always belongs to their account; see alert-destinations.test.ts.
    may: [...admins, ...ofP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'unknown account_sid'],
    call: ({ sid }) => ({
      path: '/patchbay/alert-destinations',
      body: { name: unique(), kind: 'webhook', target: 'https://example.org/alerts', account_sid: sid.A },
    }),
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}` }),
  },
  'PUT /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}`,
      body: { name: unique() },
    }),
  },
  'DELETE /patchbay/alert-destinations/:alert_destination_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}` }),
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret': {
    may: overA,
    // Read-only callers must not get secrets.
    writes: true,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}/webhook-secret` }),
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries': {
    may: overA,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({
      path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}/deliveries?${calls}`,
    }),
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/test': {
    may: overA,
    writes: true,
    answers: 200,
    refused: notFound,
    call: ({ things }) => ({ path: `/patchbay/alert-destinations/${things.A.alert_destination_sid}/test` }),
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/confirmation': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: async ({ sid }) => {
      const { alert_destination_sid } = await storeMailbox(api, sid.A)
      return { path: `/patchbay/alert-destinations/${alert_destination_sid}/confirmation` }
    },
  },
  'POST /patchbay/alert-addresses/confirm': {
    may: 'public',
    answers: 204,
    call: async ({ sid }) => ({
      path: '/patchbay/alert-addresses/confirm',
      body: { link: (await createAddressLink(api.test.database, await storeMailbox(api, sid.A))) ?? '' },
    }),
  },
  'POST /patchbay/alert-addresses/stop': {
    may: 'public',
    answers: 204,
    call: async ({ sid }) => {
      const { url } = createUnsubscribeLinks(api.services.configuration).create(await storeMailbox(api, sid.A))
      return { path: '/patchbay/alert-addresses/stop', body: { link: url.split('/').at(-1) ?? '' } }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${sip_callid}` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/${sip_callid}` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/Accounts/${A}/RecentCalls/${sip_callid}/invite/pcap` }
    },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => {
      const sip_callid = await storeCapturedCall(api, { account_sid: A, service_provider_sid: P })
      return { path: `/ServiceProviders/${P}/RecentCalls/${sip_callid}/invite/pcap` }
    },
  },
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overA,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => ({
      path: `/Accounts/${A}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overA,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ sid: { A, P } }) => ({
      path: `/Accounts/${A}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overP,
    answers: 200,
    refused: privileges,
    call: async ({ sid: { A, P } }) => ({
      path: `/ServiceProviders/${P}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },
  'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    may: overP,
    writes: true,
    answers: 204,
    refused: privileges,
    call: async ({ sid: { A, P } }) => ({
      path: `/ServiceProviders/${P}${await storeRecordedCall(api, { account_sid: A, service_provider_sid: P })}`,
    }),
  },

  'GET /patchbay/audit-trail': {
    may: providersAndAdmins,
    answers: 200,
    refused: permissions,
    call: () => ({ path: `/patchbay/audit-trail?${calls}` }),
  },

  'GET /patchbay/registered-clients': {
    may: everyone,
    answers: 200,
    call: () => ({ path: '/patchbay/registered-clients' }),
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/RegisteredSipUsers` }),
  },
  'POST /Accounts/:account_sid/RegisteredSipUsers': {
    // The endpoint only reads, but the API denies every POST to view-only users.
    may: overA,
    writes: true,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/RegisteredSipUsers`, body: ['alice'] }),
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers/:client': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => ({ path: `/Accounts/${sid.A}/RegisteredSipUsers/alice` }),
  },
}

/** Expected status and msg. An undefined msg matches any. */
type Outcome = [number, string | undefined]

const expected = (caller: CallerName, rule: Rule): Outcome => {
  const { may, writes, usersOnly, beforePasswordChange, viewOnlyMay, answers, says, refused } = rule
  const fine: Outcome = [answers, says]
  if (may === 'public') return fine
  if (includes(signedOut, caller)) return [401, 'Unauthorized']
  if (includes(mustChange, caller) && !beforePasswordChange) return [403, 'You must change your password first']
  if (includes(viewOnly, caller) && writes && !viewOnlyMay) return [403, 'User has view-only access']
  const allowed = may.includes(caller) && !(usersOnly && includes(keys, caller))
  if (allowed) return fine
  if (refused === undefined) throw new Error(`no refusal is written down for ${caller}`)
  return typeof refused === 'function' ? refused(caller) : refused
}

/* Tests. */

let vendorServer: FakeVendorServer
let stripe: Stripe
let api: TestApi
let shared: World
let featureServer: FeatureServer

/** Simulates an active call for every sid, with which all commands succeed. */
const anyCall = async (): Promise<LiveCalls> => {
  featureServer = await startFeatureServer(0)
  const { url, heard } = featureServer
  featureServer.answer = (response) => {
    const isChange = heard.at(-1)?.path.startsWith('/v1/updateCall/')
    return isChange ? response.writeHead(202).end() : response.writeHead(201).end(JSON.stringify({ sid: randomUUID() }))
  }
  return {
    ...noLiveCalls,
    find: (_account_sid, call_sid) => Promise.resolve({ call_sid, members: { serviceUrl: url }, startedAt: undefined }),
    remove: () => Promise.resolve(true),
    featureServers: () => Promise.resolve([url]),
  }
}

beforeAll(async () => {
  vendorServer = await startFakeVendorServer()
  stripe = await startStripe()
  stripe.sells()
  api = await createTestApi(
    {
      ENABLE_FORGOT_PASSWORD: '1',
      JAMBONES_HOSTING: '1',
      PUBLIC_URL: 'https://console.example.org',
      PRIVATE_NETWORKS: loopbackNetwork,
      ...stripe.settings,
      // The Nvidia Riva server that each account names.
      VENDOR_ADDRESSES: `*.example.org=${vendorServer.addresses['riva.example.com']}`,
    },
    undefined,
    { liveCalls: await anyCall() },
  )
  shared = await createWorld(api)
  const { A, A2, B, P, Q } = shared.sid
  const owners = [
    { account_sid: A, service_provider_sid: P },
    { account_sid: A2, service_provider_sid: P },
    { account_sid: B, service_provider_sid: Q },
  ]
  const records = owners.map((owner) => callRecord(owner.account_sid, { ...owner, from: owner.account_sid }))
  await createSqlCalls(api.test.database).store(records)
})
afterAll(async () => {
  await api.close()
  await vendorServer.stop()
  stripe.close()
  await featureServer.close()
})

const getCaller = (world: World, name: CallerName): Promise<Caller> | Caller => {
  if (name === 'nobody') return api.nobody
  if (name === 'a bad token') return api.as('no-token-of-anyone')
  if (name === 'an expired token') return expired(api, world.users['user of A'])
  // The names of signed-in callers are the names of the world's users and keys.
  return includes(keys, name) ? api.as(world.keys[name as KeyName].token) : signedIn(api, world.users[name as UserName])
}

const send = (caller: Caller, key: string, { path, body }: Request): Promise<Answer> => {
  const sendBy = {
    GET: () => caller.get(path),
    POST: () => caller.post(path, body),
    PUT: () => caller.put(path, body),
    DELETE: () => caller.delete(path, body),
  }
  return sendBy[splitKey(key).method]()
}

const describeAnswer = ({ status, text }: Answer, message: unknown): string =>
  `${status} ${typeof message === 'string' ? message : text}`

/** Returns the difference between a response and the rule for a caller, or undefined if it matches. */
const findMismatch = (answer: Answer, rule: Rule, name: CallerName): string | undefined => {
  const [status, msg] = expected(name, rule)
  const message = answer.status >= 400 ? getMessage(answer) : undefined
  return answer.status === status && message === msg
    ? undefined
    : `${name}: expected ${status} ${msg ?? ''}, got ${describeAnswer(answer, message)}`
}

const withoutUndefined = (faults: readonly (string | undefined)[]): string[] =>
  faults.filter((fault) => fault !== undefined)

/** Tests the callers with permission. They can make permanent changes, so each gets a separate world. */
const checkAllowedCallers = async (key: EndpointName, names: readonly CallerName[]): Promise<string[]> => {
  const rule = rules[key]
  const faults = []
  for (const name of names) {
    const world = rule.writes ? await createWorld(api) : shared
    const request = await rule.call(world, name)
    faults.push(findMismatch(await send(await getCaller(world, name), key, request), rule, name))
  }
  return withoutUndefined(faults)
}

/** Tests the callers without permission, whose requests must not change anything. */
const checkDeniedCallers = async (key: EndpointName, names: readonly CallerName[]): Promise<string[]> => {
  const requests: { name: CallerName; caller: Caller; request: Request }[] = []
  for (const name of names)
    requests.push({ name, caller: await getCaller(shared, name), request: await rules[key].call(shared, name) })
  const before = await snapshot(api)
  const faults = []
  for (const { name, caller, request } of requests)
    faults.push(findMismatch(await send(caller, key, request), rules[key], name))
  const after = await snapshot(api)
  const changed = Object.keys(after).filter((table) => after[table] !== before[table])
  return [
    ...withoutUndefined(faults),
    ...changed.map((table) => `one of ${names.join(', ')}: refused, yet changed ${table}`),
  ]
}

const isRefused = (key: EndpointName) => (name: CallerName) => expected(name, rules[key])[1] !== undefined

// The keys of the contract object.
const endpointNames = Object.keys(contract) as EndpointName[]

test('the table contains exactly the endpoints of the contract', () => {
  expect(sorted(Object.keys(rules))).toEqual(sorted(endpointNames))
})

describe('denied callers get the expected error and change nothing', () => {
  test.each(endpointNames)('%s', async (key) => {
    expect(await checkDeniedCallers(key, callers.filter(isRefused(key)))).toEqual([])
  })
})

/** Returns the endpoints with a path parameter. */
const bySid = (param: string) => endpointNames.filter((key) => splitKey(key).path.includes(`/:${param}`))

describe('requests for resources of other tenants', () => {
  test('API-001 every endpoint except sign-in returns 401 without a token and with an invalid or expired one', async () => {
    const closed = endpointNames.filter((key) => rules[key].may !== 'public')
    expect(closed.length).toBeGreaterThan(30)
    for (const key of closed) {
      for (const name of signedOut) {
        const request = await rules[key].call(shared, name)
        const answer = await send(await getCaller(shared, name), key, request)
        expect([key, name, answer.status]).toEqual([key, name, 401])
      }
    }
  })

  test('ROLES-25 a provider, as user or key, is denied every endpoint of another provider and its accounts', async () => {
    const endpoints = [...bySid('service_provider_sid'), ...bySid('account_sid'), ...bySid('user_sid')]
    expect(endpoints.length).toBeGreaterThan(15)
    for (const key of endpoints) {
      const before = await snapshot(api)
      for (const name of ofQ) {
        const request = await rules[key].call(shared, name)
        const answer = await send(await getCaller(shared, name), key, request)
        expect([key, name, answer.status]).toEqual([key, name, 403])
      }
      expect(omitSessions(await snapshot(api))).toEqual(omitSessions(before))
    }
  })

  // ROLES-24 names applications, carriers, numbers, and more. The list above grows with each endpoint; otherwise, the
  // test fails.
  test('ROLES-24 an account, as user or key, is denied every endpoint of another account, including accounts of the same provider', async () => {
    const endpoints = [...bySid('account_sid'), ...bySid('user_sid')]
    expect(endpoints.length).toBeGreaterThan(8)
    for (const key of endpoints) {
      const before = await snapshot(api)
      for (const name of [...ofA2, ...ofB]) {
        const request = await rules[key].call(shared, name)
        const answer = await send(await getCaller(shared, name), key, request)
        expect([key, name, answer.status]).toEqual([key, name, 403])
      }
      expect(omitSessions(await snapshot(api))).toEqual(omitSessions(before))
    }
  })

  test('ROLES-26 only an admin creates and deletes service providers', async () => {
    for (const name of everyone.filter((caller) => !includes(viewOnly, caller) && !includes(mustChange, caller))) {
      const caller = await getCaller(shared, name)
      const response = await caller.post('/ServiceProviders', { name: `by ${name} ${unique()}` })
      const target = response.status === 201 ? member(response, 'sid') : await api.provider()
      const signal = await caller.delete(`/ServiceProviders/${target}`)
      const remainingProvider = await api.admin.get(`/ServiceProviders/${target}`)
      const isAdmin = includes(admins, name)
      expect([name, response.status, signal.status, remainingProvider.status]).toEqual(
        isAdmin ? [name, 201, 204, 404] : [name, 403, 403, 200],
      )
    }
  })

  test('a registered user with an unconfirmed address is denied everything', async () => {
    const provider = await api.provider()
    await api.admin.put(`/ServiceProviders/${provider}`, { root_domain: `${unique()}.example.org` })
    const visitor = { service_provider_sid: provider, provider: 'local', password: worldPassword }
    const registration = await api.nobody.post('/register', { ...visitor, email: `${randomUUID()}@example.org` })
    const caller = api.as(member(registration, 'jwt'))
    for (const key of endpointNames.filter((name) => rules[name].may !== 'public')) {
      const answer = await send(caller, key, await rules[key].call(shared, 'user of A'))
      expect([key, answer.status]).toEqual([key, 401])
    }
  })

  test('a user of a suspended account cannot change anything except what suspended accounts may', async () => {
    const world = await createWorld(api)
    const caller = await getCaller(world, 'user of A')
    const { db } = api.test.database
    const suspended = { is_active: 0, deactivated_reason: 'payment failed' } as const
    await db.updateTable('accounts').set(suspended).where('account_sid', '=', world.sid.A).execute()
    const writes = endpointNames.filter((key) => {
      const { access }: Endpoint = contract[key]
      return access.minScope !== 'public' && !access.whileSuspended && splitKey(key).method !== 'GET'
    })
    expect(writes.length).toBeGreaterThan(80)
    for (const key of writes) {
      const answer = await send(caller, key, await rules[key].call(world, 'user of B'))
      expect([key, ...statusAndMessage(answer)]).toEqual([
        key,
        403,
        'The account is suspended: upgrade it, or have it pay, to go on',
      ])
    }
    expect((await caller.get(`/Accounts/${world.sid.A}`)).status).toBe(200)
  })

  const outsiders: readonly CallerName[] = [...ofQ, ...ofB, ...ofA2]

  /**
   * Owners of keys get 400 for another owner's key and 404 for an unknown one, as in the API of jambonz
   * (docs/reference/platform-api/tenants.md#errors-of-api-keys).
   */
  const withSid = endpointNames.filter(
    (key) => rules[key].may !== 'public' && splitKey(key).path.includes(':') && key !== 'DELETE /ApiKeys/:api_key_sid',
  )

  test.each(withSid)('%s returns the same response for hidden and unknown resources', async (key) => {
    const { may } = rules[key]
    for (const name of outsiders.filter((callerName) => !may.includes(callerName))) {
      const caller = await getCaller(shared, name)
      const request = await rules[key].call(shared, name)
      const ghost = { ...request, path: request.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, randomUUID()) }
      expect(ghost.path).not.toBe(request.path)
      const hidden = await send(caller, key, request)
      const absent = await send(caller, key, ghost)
      expect([name, hidden.status, hidden.text]).toEqual([name, absent.status, absent.text])
    }
  })
})

const omitSessions = ({ patchbay_sessions: _sessions, ...rest }: Readonly<Record<string, string>>) => rest

interface Own {
  account: string
  provider: string
  user: string
}

/** Returns the path with the caller's own account, provider, and user. */
const pathFor = (key: string, { sid, things }: World, own: Own): string => {
  const ownThings = things[own.account === sid.A ? 'A' : own.account === sid.A2 ? 'A2' : 'B']
  return splitKey(key)
    .path.replace(/:(\w+)/g, (param, name: string) => ownThings[name as keyof AccountThings] ?? param)
    .replace(':account_sid', own.account)
    .replace(':service_provider_sid', own.provider)
    .replace(':user_sid', own.user)
    .replace(/$/, parentQuery(key, ownThings))
    .replace(/$/, isPaged(key) ? `?${calls}&filter=` : key.endsWith('taken') ? `?name=account ${sid.A}` : '')
}

const findMarks = (responses: readonly string[], marks: readonly string[]) =>
  marks.filter((mark) => responses.some((text) => text.includes(mark)))

const taken = async (name: CallerName) => {
  const caller = await getCaller(shared, name)
  const { body } = await caller.get(`/patchbay/accounts/taken?name=${encodeURIComponent(`account ${shared.sid.A}`)}`)
  return body
}

describe('lists reveal nothing about other tenants', () => {
  const reads = endpointNames.filter((key) => key.startsWith('GET '))

  const readAll = async (name: CallerName, own: Own): Promise<string[]> => {
    const caller = await getCaller(shared, name)
    const responses: string[] = []
    for (const key of reads) {
      const answer = await caller.get(pathFor(key, shared, own))
      responses.push(answer.text)
    }
    return responses
  }

  test('the expected marks occur in the responses to the owners', async () => {
    const { A, P } = shared.sid
    const user = shared.users['user of A'].user_sid
    const responses = await readAll('admin', { account: A, provider: P, user })
    expect(findMarks(responses, [A, shared.sid.A2, P])).toHaveLength(3)
    const own = await readAll('user of A', { account: A, provider: P, user })
    const key = shared.keys['key of A']
    expect(
      findMarks(own, [A, key.api_key_sid, `********${key.token.slice(-4)}`, shared.users['user of A'].user_sid]),
    ).toHaveLength(4)
  })

  test.each([...ofQ, ...ofB])('%s reads nothing of provider P, its accounts, users, and keys', async (name) => {
    const responses = await readAll(name, {
      account: shared.sid.B,
      provider: shared.sid.Q,
      user: shared.users['user of B'].user_sid,
    })
    expect(findMarks(responses, shared.marks.P)).toEqual([])
  })

  test.each([...ofA2])("%s reads nothing of the other account A, or of the provider's keys", async (name) => {
    const responses = await readAll(name, {
      account: shared.sid.A2,
      provider: shared.sid.P,
      user: shared.users['user of A2'].user_sid,
    })
    const { api_key_sid, token } = shared.keys['key of P']
    expect(findMarks(responses, [...shared.marks.A, api_key_sid, `********${token.slice(-4)}`])).toEqual([])
  })

  test('the check for existing names covers only resources that the caller may see', async () => {
    expect(await taken('user of A')).toEqual({ name: true, sip_realm: false })
    expect(await taken('user of P')).toEqual({ name: true, sip_realm: false })
    for (const name of [...ofQ, ...ofB, ...ofA2]) expect(await taken(name)).toEqual({ name: false, sip_realm: false })
  })

  test('lists contain only resources of the caller, and all for an admin', async () => {
    const sids = async (name: CallerName, path: string, column: string) =>
      getRows(await (await getCaller(shared, name)).get(path)).map((row) => row[column])
    const { A, A2, B, P, Q } = shared.sid
    expect(await sids('user of A', '/Accounts', 'account_sid')).toEqual([A])
    expect(await sids('key of A', '/Accounts', 'account_sid')).toEqual([A])
    expect(sorted(await sids('user of P', '/Accounts', 'account_sid'))).toEqual(sorted([A, A2]))
    expect(sorted(await sids('key of P', '/Accounts', 'account_sid'))).toEqual(sorted([A, A2]))
    expect(await sids('admin', '/Accounts', 'account_sid')).toEqual(expect.arrayContaining([A, A2, B]))
    expect(await sids('user of A', '/ServiceProviders', 'service_provider_sid')).toEqual([P])
    expect(await sids('key of Q', '/ServiceProviders', 'service_provider_sid')).toEqual([Q])
    expect(await sids('admin key', '/ServiceProviders', 'service_provider_sid')).toEqual(expect.arrayContaining([P, Q]))
    expect(await sids('user of A2', `/ServiceProviders/${P}/Accounts`, 'account_sid')).toEqual([A2])
    const getUserSids = (...names: readonly UserName[]) => sorted(names.map((name) => shared.users[name].user_sid))
    const inA: readonly UserName[] = [...usersOfA, 'view-only user of A', 'user of A who must change the password']
    const inP: readonly UserName[] = [
      ...inA,
      'user of A2',
      'user of P',
      'view-only user of P',
      'user of P who must change the password',
    ]
    for (const name of ['user of A', 'view-only user of A', 'key of A'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(getUserSids(...inA))
    for (const name of ['user of P', 'key of P'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(getUserSids(...inP))
    expect(await sids('key of B', '/Users', 'user_sid')).toEqual([shared.users['user of B'].user_sid])
    for (const name of ['admin', 'admin key'] as const)
      expect(sorted(await sids(name, '/Users', 'user_sid'))).toEqual(
        expect.arrayContaining(Object.values(shared.users).map(({ user_sid }) => user_sid)),
      )
  })
})

// These tests are last because callers with permission leave data in new worlds, and the tests above compare all data.
describe('callers with permission get the expected response', () => {
  test.each(endpointNames)('%s', async (key) => {
    expect(
      await checkAllowedCallers(
        key,
        callers.filter((name) => !isRefused(key)(name)),
      ),
    ).toEqual([])
  })
})
