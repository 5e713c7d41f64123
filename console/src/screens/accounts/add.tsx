import { Link, useNavigate } from '@tanstack/react-router'
import { FormProvider } from 'react-hook-form'
import { call } from '../../api/client.ts'
import { usePageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { useProviderSid } from '../../app/provider-choice.ts'
import { useAction } from '../../app/use-action.ts'
import { viewOnlyReason } from '../../app/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { FormFrame } from '../../ui/form-frame.tsx'
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
  const { form, submit, submitError, busy, prompt } = useAccountForm({
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
      <FormProvider {...form}>
        <FormFrame
          label="Add an account"
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
          submitError={submitError}
          dirty={form.formState.isDirty}
          busy={busy}
          readOnlyReason={viewOnlyReason(actor)}
          cancel={
            <Link to={paths.accounts} className={buttonClass('secondary')}>
              Cancel
            </Link>
          }
        >
          <DetailsSection mayChangeRealm mayDebug={isAdmin} />
          <WebhooksSection />
        </FormFrame>
        {prompt}
      </FormProvider>
    </>
  )
}
