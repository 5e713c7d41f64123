import { randomUUID } from 'node:crypto'
import { createResetLink, findByEmail } from '@patchbay/server/auth/reset-links'
import { worldPassword } from '@patchbay/testkit/test-world'
import { admins, everyone, includes, membersOfP, ofA, ofA2, ofB, ofQ, overA, overP } from '../callers.ts'
import type { MatrixWorld } from '../matrix-world.ts'
import { defineRules, firstPage, forbidden, notFound, permissions, unique } from '../rule.ts'

/** Creates the link of a password reset email. */
const issueResetLink = async ({ api, users }: MatrixWorld): Promise<string> => {
  const { database } = api.test
  const user = await findByEmail(database, `${users['user of A'].user_sid}@example.org`)
  return user ? createResetLink(database, user) : ''
}

export const rules = defineRules({
  'POST /login': {
    may: 'public',
    answers: 200,
    call: ({ users }) => ({ path: '/login', body: { username: users['user of A'].name, password: worldPassword } }),
  },
  'POST /logout': {
    may: everyone,
    writes: true,
    allowViewOnly: true,
    usersOnly: true,
    beforePasswordChange: true,
    answers: 204,
    refused: forbidden,
    call: () => '/logout',
  },
  'POST /register': { may: 'public', answers: 400, says: 'missing provider', call: () => '/register' },
  'POST /patchbay/sign-in-links': {
    may: 'public',
    answers: 403,
    says: 'The time to link the accounts has ended. Sign in with the provider again.',
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
    call: async (world) => ({ path: '/signin', body: { link: await issueResetLink(world) } }),
  },
  'POST /change-password': {
    may: everyone,
    writes: true,
    allowViewOnly: true,
    usersOnly: true,
    beforePasswordChange: true,
    answers: 204,
    refused: forbidden,
    call: () => ({ path: '/change-password', body: { old_password: worldPassword, new_password: `New-${unique()}` } }),
  },
  'POST /patchbay/session': {
    may: everyone,
    writes: true,
    allowViewOnly: true,
    usersOnly: true,
    answers: 200,
    refused: forbidden,
    call: () => '/patchbay/session',
  },
  'GET /Users/me': {
    may: everyone,
    usersOnly: true,
    answers: 200,
    refused: forbidden,
    call: () => '/Users/me',
  },
  'GET /Users': { may: everyone, answers: 200, call: () => '/Users' },
  'GET /Users/:user_sid': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ users }) => `/Users/${users['another user of A'].user_sid}`,
  },
  'POST /patchbay/users/invitations': {
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'account_sid is not an account of this service provider'],
    call: ({ sid }) => {
      const name = `new-${randomUUID()}`
      return {
        path: '/patchbay/users/invitations',
        body: { name, email: `${name}@example.org`, account_sid: sid.A },
      }
    },
  },
  'POST /patchbay/users/:user_sid/invitation': {
    may: overA,
    writes: true,
    answers: 204,
    refused: permissions,
    call: ({ users }) => `/patchbay/users/${users['another user of A'].user_sid}/invitation`,
  },
  'POST /Users': {
    // Accounts create users only in their own account, regardless of the request. Only a provider can name a wrong
    // account.
    may: [...overP, ...ofA, ...ofA2, ...ofB],
    writes: true,
    answers: 201,
    refused: [400, 'account_sid is not an account of this service provider'],
    call: ({ sid }) => {
      const name = `new-${randomUUID()}`
      return {
        path: '/Users',
        body: { name, email: `${name}@example.org`, initial_password: worldPassword, account_sid: sid.A },
      }
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
    call: ({ users }) => `/Users/${users['another user of A'].user_sid}`,
  },
  'GET /PasswordSettings': {
    may: everyone,
    beforePasswordChange: true,
    answers: 200,
    call: () => '/PasswordSettings',
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
    call: (world) => `/ApiKeys/${world.keys['key of A'].api_key_sid}`,
  },
  'GET /Accounts/:account_sid/ApiKeys': {
    may: overA,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/Accounts/${sid.A}/ApiKeys`,
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
    call: (world) => `/Accounts/${world.sid.A}/ApiKeys/${world.keys['key of A'].api_key_sid}`,
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
    call: (world) => `/ServiceProviders/${world.sid.P}/ApiKeys/${world.keys['key of P'].api_key_sid}`,
  },
  'GET /ServiceProviders/:service_provider_sid/ApiKeys': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/ServiceProviders/${sid.P}/ApiKeys`,
  },
  'GET /patchbay/service-providers/:service_provider_sid/api-keys': {
    may: membersOfP,
    answers: 200,
    refused: permissions,
    call: ({ sid }) => `/patchbay/service-providers/${sid.P}/api-keys?${firstPage}`,
  },
  'PUT /patchbay/api-keys/:api_key_sid': {
    may: overA,
    writes: true,
    answers: 204,
    refused: notFound,
    call: (world) => ({
      path: `/patchbay/api-keys/${world.keys['key of A'].api_key_sid}`,
      body: { name: unique() },
    }),
  },
  'GET /patchbay/platform-api-keys': {
    may: admins,
    answers: 200,
    refused: permissions,
    call: () => '/patchbay/platform-api-keys',
  },
})
