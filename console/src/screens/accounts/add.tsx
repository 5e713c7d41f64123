import { Link, useNavigate } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import { usePageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { useProviderSid } from '../../app/provider-choice.ts'
import { RecordForm } from '../../app/record-form.tsx'
import { useAction } from '../../app/use-action.ts'
import { requiredSession } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type AccountValues, accountSent, emptyAccount } from './account-form.ts'
import { DetailsSection } from './details-section.tsx'
import { useAccountForm } from './use-account-form.ts'
import { WebhooksSection } from './webhooks-section.tsx'

/** A new account in the current service provider. */
export const AddAccount = () => {
  usePageTitle('Add an account')
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const navigate = useNavigate()
  const isAdmin = actor.scope === 'admin'
  const create = useAction({
    run: (values: AccountValues) => {
      const enable_debug_log = isAdmin ? { enable_debug_log: values.enable_debug_log } : {}
      return call('POST /Accounts', { body: { ...accountSent(values), ...enable_debug_log, service_provider_sid } })
    },
    done: () => 'Account created successfully',
    changes: [['accounts']],
  })
  const state = useAccountForm({
    values: emptyAccount,
    wanted: ({ name, sip_realm }) => ({
      service_provider_sid,
      name: name.trim(),
      sip_realm: sip_realm.trim().toLowerCase() || null,
    }),
    save: async (values) => {
      await create.mutateAsync(values)
      await navigate({ to: paths.accounts, ignoreBlocker: true })
    },
  })
  return (
    <>
      <PageHeader
        breadcrumb={<Link to={paths.accounts}>Accounts</Link>}
        title="Add an account"
        description="A tenant of the service provider, with its own users, applications and numbers."
      />
      <RecordForm
        label="Add an account"
        state={state}
        cancel={
          <Link to={paths.accounts} className={buttonClass('secondary')}>
            Cancel
          </Link>
        }
      >
        <DetailsSection mayChangeRealm mayDebug={isAdmin} />
        <WebhooksSection />
      </RecordForm>
    </>
  )
}
