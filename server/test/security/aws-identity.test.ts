import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

/** Speech services at AWS without an access key would use the identity of the server, which is its operator's. */

const notAllowed = {
  status: 'fail',
  reason:
    'The service has no access key, and the operator does not allow the identity of the server (AWS_IDENTITY_FOR_SPEECH)',
}

const api = await openTestApi()

test.each([
  ['the identity of the server', {}],
  ['any role that trusts the server', { role_arn: 'arn:aws:iam::123456789012:role/of-another-customer' }],
])('an account cannot use %s unless the operator allows it', async (_what, credential) => {
  const account_sid = await api.account(await api.provider())
  const { caller } = await api.user({ account_sid })
  const path = `/Accounts/${account_sid}/SpeechCredentials`
  const uses = { use_for_tts: 1, use_for_stt: 1 }
  const created = await caller.post(path, { ...credential, ...uses, vendor: 'aws', aws_region: 'us-east-1' })
  const outcome = (await caller.get(`${path}/${member(created, 'sid')}/test`)).body
  expect(outcome).toEqual({ tts: notAllowed, stt: notAllowed })
})

test('an account cannot grant itself the identity of the server', async () => {
  const account_sid = await api.account(await api.provider())
  const { caller } = await api.user({ account_sid })
  const path = `/Accounts/${account_sid}/SpeechCredentials`
  const forged = { vendor: 'aws', aws_region: 'us-east-1', use_for_tts: 1, aws_external_id: account_sid }
  const created = await caller.post(path, forged)
  expect((await caller.get(`${path}/${member(created, 'sid')}/test`)).body).toMatchObject({ tts: notAllowed })
})
