import { type ReactNode, useEffect, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { SubdomainField } from '../../fields/subdomain/subdomain-field.tsx'
import { useAvailability } from '../../fields/subdomain/use-availability.ts'
import { useFormSubmit } from '../../form/use-form-submit.ts'
import { editAccount } from '../../routes/accounts.ts'
import { chooseSubdomain } from '../../routes/register.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink, useNavigateTo } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { currentSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import styles from './register.module.css'

/** Returns the root domain, which the previous step has stored. The server provides it if that step was skipped. */
const useRootDomain = () => {
  const [rootDomain, setRootDomain] = useState(stored.rootDomain.read())
  const [failure, setFailure] = useState<unknown>()
  const isKnown = rootDomain !== null
  useEffect(() => {
    if (isKnown) return
    const ask = async () => {
      const { account } = await api('GET /Users/me', {})
      setRootDomain(account.root_domain ?? '')
    }
    ask().catch(setFailure)
  }, [isKnown])
  return { rootDomain, failure }
}

/** Last step of the registration: the domain of the account. */
export const ChooseSubdomainPage = (): ReactNode => {
  const go = useNavigateTo()
  const [session] = useState(currentSession)
  const account_sid = session?.actor.account_sid ?? undefined
  const { rootDomain, failure: unknown } = useRootDomain()

  useEffect(() => {
    if (account_sid === undefined) void go({ to: signIn, replace: true })
  }, [account_sid, go])

  return (
    <PublicPage
      screen={chooseSubdomain}
      description="This will be the FQDN where your carrier sends calls, and where your devices register. You can change it at any time."
    >
      {unknown !== undefined && <Banner tone="bad">{errorMessage(unknown)}</Banner>}
      {rootDomain !== null && account_sid !== undefined && (
        <SubdomainForm account_sid={account_sid} rootDomain={rootDomain} />
      )}
    </PublicPage>
  )
}

const SubdomainForm = ({ account_sid, rootDomain }: { account_sid: string; rootDomain: string }) => {
  const go = useNavigateTo()
  const [name, setName] = useState('')
  const state = useAvailability(name, rootDomain)
  const { busy, failure, onSubmit } = useFormSubmit(async () => {
    if (state.is !== 'free') return
    const params = { account_sid, sip_realm: `${name}.${rootDomain}` }
    await api('POST /Accounts/:account_sid/SipRealms/:sip_realm', { params })
    await go({ to: editAccount, params: { account_sid } })
  })
  return (
    <form onSubmit={onSubmit} noValidate aria-label={chooseSubdomain.title}>
      <SubdomainField
        value={name}
        rootDomain={rootDomain}
        state={state}
        error={failure === undefined ? undefined : errorMessage(failure)}
        onChange={setName}
      />
      <div className={styles['row']}>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabledReason={state.is === 'free' ? undefined : 'Choose a subdomain that is available'}
        >
          Complete Registration →
        </Button>
        <ScreenLink to={editAccount} params={{ account_sid }} className={buttonClass('ghost')}>
          Later
        </ScreenLink>
      </div>
    </form>
  )
}
