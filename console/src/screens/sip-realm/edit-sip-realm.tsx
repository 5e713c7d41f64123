import type { Account } from '@patchbay/contract/accounts'
import { extractSubdomain } from '@patchbay/rules/identity/subdomains'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { accountQuery } from '../../api/record-queries.ts'
import { toaster } from '../../feedback/toaster.ts'
import { SubdomainField } from '../../fields/subdomain/subdomain-field.tsx'
import { useAvailability } from '../../fields/subdomain/use-availability.ts'
import { CopyRequest } from '../../form/copy-request/copy-request.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { useFormSubmit } from '../../form/use-form-submit.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { editAccount } from '../../routes/accounts.ts'
import { editSipRealm } from '../../routes/sip-realm.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { Banner } from '../../ui/banner.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { FormFrame, FormSection } from '../../ui/fields/form-frame.tsx'

export const loader = ({ params: { account_sid } }: { params: { account_sid: string } }): Promise<unknown> =>
  prefetchWithin(() => queryClient.ensureQueryData(accountQuery(account_sid)))

/** Changes the SIP realm of an account. */
export const EditSipRealmPage = (): ReactNode => {
  const { account_sid } = useScreenParams(editSipRealm)
  const account = useQuery(accountQuery(account_sid))
  useRedirectOnError(account.data ? undefined : account.error)
  return (
    <>
      <ScreenHeader screen={editSipRealm} />
      {account.data ? <RealmForm account={account.data} /> : <FormLoading queries={[account]} sections={1} />}
    </>
  )
}

const RealmForm = ({ account: { account_sid, sip_realm, root_domain } }: { account: Account }) => {
  const go = useNavigateTo()
  const rootDomain = root_domain ?? ''
  const own = extractSubdomain(sip_realm ?? '', rootDomain) ?? ''
  const [name, setName] = useState(own)
  const state = useAvailability(name, rootDomain, own)
  const blocked = state.is === 'free' ? undefined : 'Choose a subdomain that is available'
  const sendRequests = () =>
    api('POST /Accounts/:account_sid/SipRealms/:sip_realm', {
      params: { account_sid, sip_realm: `${name}.${rootDomain}` },
    })
  const { busy, failure, onSubmit } = useFormSubmit(async () => {
    await sendRequests()
    await queryClient.invalidateQueries({ queryKey: accountQuery(account_sid).queryKey })
    toaster.success('SIP realm changed')
    await go({ to: editAccount, params: { account_sid } })
  })
  if (rootDomain === '')
    return <Banner tone="warn">The service provider of this account has no root domain for subdomains.</Banner>
  return (
    <FormFrame
      label={editSipRealm.title}
      onSubmit={onSubmit}
      submitError={undefined}
      dirty={name !== own}
      busy={busy}
      blocked={blocked}
      extra={<CopyRequest prepare={(use) => use(sendRequests)} blocked={blocked} />}
      saveLabel="Change Sip Realm"
      cancel={
        <ScreenLink to={editAccount} params={{ account_sid }} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <FormSection
        title="SIP realm"
        description="The domain where carriers send calls and devices register. Update the devices that register with the current realm."
      >
        <SubdomainField
          value={name}
          rootDomain={rootDomain}
          state={state}
          error={failure === undefined ? undefined : errorMessage(failure)}
          onChange={setName}
        />
      </FormSection>
    </FormFrame>
  )
}
