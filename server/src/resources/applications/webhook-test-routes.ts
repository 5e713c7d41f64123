import type { Application } from '@patchbay/contract/applications'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { StoredHook } from '@patchbay/contract/hooks'
import { isWebsocketUrl, type TriedHook } from '@patchbay/contract/webhooks/webhooks'
import type { webhookWorkbenchEndpoints } from '@patchbay/contract/webhook-test'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { sampleCallStatus, sampleNewCall, sampleCall } from './sample-payloads.ts'
import { createApplicationStore } from './store.ts'
import { webhookRequest } from './webhook-request.ts'
import { createSigners } from './webhook-test-store.ts'
import { tryWebhook } from './webhook-test.ts'

/** Each is a call to where the tenant says. */
export const webhookTestsAMinute = { account: 30, provider: 90 }

/** One that can be tried: the platform holds WebSockets open for a whole call, which nobody makes here. */
const httpHook = (application: Application, name: TriedHook): StoredHook => {
  const hook = application[name] ?? throwInvalid(`the application has no ${name}`, 'hook')
  return isWebsocketUrl(hook.url)
    ? throwInvalid(`${name} is a WebSocket; only http and https can be tried`, 'hook')
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
  const signerOf = createSigners(database)

  return {
    'POST /patchbay/applications/:application_sid/webhook-test': async ({ actor, params, body, signal }) => {
      const application = (await applications.read(actor, params.application_sid)) ?? throwApiError('not_found')
      const { hook: name, from, to, call_status } = body
      const hook = httpHook(application, name)
      const { account_sid, application_sid } = application
      const account =
        (account_sid === null ? undefined : await signerOf(account_sid)) ??
        throwInvalid('the application is of no account, whose secret would sign')
      await countForTenant(rates, 'webhook-tests', webhookTestsAMinute, account)
      const sample = sampleCall(from, to)
      const told =
        name === 'call_hook'
          ? sampleNewCall(sample, application, account, hook.method)
          : sampleCallStatus(sample, application, account, call_status)
      const request = webhookRequest(hook, told, account.webhook_secret)
      const report = await tryWebhook(outgoing, name, request, signal)
      const outcome = { hook: name, url: hook.url, from, to, outcome: report.failure ?? report.answer?.status }
      await write(actor, async (tx) => {
        const thing = { action: 'try', kind: 'webhook', sid: application_sid, name: application.name } as const
        tx.record({ ...thing, owner: account, before: null, after: outcome })
      })
      return ok(report)
    },
  }
}
