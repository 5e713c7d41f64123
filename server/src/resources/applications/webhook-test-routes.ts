import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { StoredHook } from '@patchbay/contract/api/hooks'
import type { Application } from '@patchbay/contract/applications'
import type { webhookWorkbenchEndpoints } from '@patchbay/contract/webhook-test'
import { isWebsocketUrl, type TriedHook } from '@patchbay/contract/webhooks/webhooks'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { findMissingServices } from './missing-services.ts'
import { createCallStatusPayload, createNewCallPayload, createSampleCall } from './sample-payloads.ts'
import { createApplicationStore, createSigningAccountReader } from './store.ts'
import { createWebhookRequest } from './webhook-request.ts'
import { tryWebhook } from './webhook-test.ts'

/**
 * Maximum tests per minute of an account, and of all accounts of a provider. Each test sends a request to a host that
 * the tenant chose.
 */
export const maxWebhookTestsPerMinute = { account: 30, provider: 90 }

/**
 * Returns a webhook of the application. WebSocket URLs cannot be tested, because jambonz keeps those connections open
 * for a whole call.
 */
const requireHttpHook = (application: Application, name: TriedHook): StoredHook => {
  const hook = application[name] ?? throwInvalid(`the application has no ${name}`, 'hook')
  return isWebsocketUrl(hook.url)
    ? throwInvalid(`${name} is a WebSocket; only http and https can be tested`, 'hook')
    : hook
}

export const webhookTestRoutes = ({
  database,
  missingSchema,
  encryption,
  outgoing,
  rates,
  write,
}: Services): Handlers<keyof typeof webhookWorkbenchEndpoints> => {
  const applications = createApplicationStore(database, missingSchema, encryption)
  const readSigningAccount = createSigningAccountReader(database)

  return {
    'POST /patchbay/applications/:application_sid/webhook-test': async ({ actor, params, body, signal }) => {
      const application = (await applications.read(actor, params.application_sid)) ?? throwApiError('not_found')
      const { hook: name, from, to, call_status } = body
      const hook = requireHttpHook(application, name)
      const { account_sid, application_sid } = application
      const account =
        (account_sid === null ? undefined : await readSigningAccount(account_sid)) ??
        throwInvalid('the application has no account whose secret could sign the request')
      await countForTenant(rates, 'webhook-tests', maxWebhookTestsPerMinute, account)
      const sample = createSampleCall(from, to)
      const payload =
        name === 'call_hook'
          ? createNewCallPayload(sample, application, account, hook.method)
          : createCallStatusPayload(sample, application, account, call_status)
      const request = createWebhookRequest(hook, payload, account.webhook_secret)
      const result = await tryWebhook(outgoing, name, request, signal)
      const missing = await findMissingServices(database, application, account, result)
      const report = { ...result, warnings: [...result.warnings, ...missing] }
      const outcome = { hook: name, url: hook.url, from, to, outcome: report.failure ?? report.answer?.status }
      await write(actor, async (tx) => {
        const event = { action: 'try', kind: 'webhook', sid: application_sid, name: application.name } as const
        tx.record({ ...event, owner: account, before: null, after: outcome })
      })
      return ok(report)
    },
  }
}
