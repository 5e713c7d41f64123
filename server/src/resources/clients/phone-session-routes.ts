import { throwApiError } from '@patchbay/contract/api/errors'
import type { phoneSessionEndpoints } from '@patchbay/contract/phone-sessions'
import type { Handlers } from '../../http/contract-router.ts'
import { created } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createPhoneSession, readCalledApplication } from './phone-sessions.ts'

/** Maximum phone sessions per minute of an account, and of all accounts of a provider. */
export const maxPhoneSessionsPerMinute = { account: 30, provider: 90 }

export const phoneSessionRoutes = ({
  configuration,
  database,
  encryption,
  rates,
  write,
}: Services): Handlers<keyof typeof phoneSessionEndpoints> => ({
  'POST /patchbay/applications/:application_sid/phone-sessions': async ({ actor, params: { application_sid } }) => {
    const { phoneSbcUrls } = configuration
    if (phoneSbcUrls.length === 0) throwApiError('phone_not_configured')
    const { account_sid, service_provider_sid, sip_realm } = await readCalledApplication(database, application_sid)
    await countForTenant(rates, 'phone-sessions', maxPhoneSessionsPerMinute, { account_sid, service_provider_sid })
    const session = await write(actor, (tx) => createPhoneSession(tx, actor, account_sid, encryption))
    const uri = `sip:app-${application_sid}@${sip_realm}`
    return created({ ...session, realm: sip_realm, uri, sbc_urls: phoneSbcUrls })
  },
})
