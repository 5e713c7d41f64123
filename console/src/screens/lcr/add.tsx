import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { queryClient } from '../../api/query-client.ts'
import { carriersToChooseQuery } from '../../api/record-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { getCreatedSid } from '../../form/save-in-parts.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { highlightRow, listBackLink } from '../../list/list-navigation-state.ts'
import { addRouting, editRouting, routingList } from '../../routes/lcr.ts'
import { ScreenLink, useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { emptyLcr, type LcrValues, lcrFieldErrors, lcrValues } from './form/lcr-form.ts'
import { NoCarriers, useNoCarriers } from './form/no-carriers.tsx'
import { RoutesSection } from './form/routes-section.tsx'
import { changeLcr, createLcr } from './form/save-lcr.ts'
import { lcrsQuery } from './queries.ts'

/** Links to the existing routing, because an account or provider can have only one. */
const AlreadyThere = () => {
  const { actor } = requiredSession()
  const { data } = useQuery({ ...lcrsQuery, enabled: actor.scope !== 'admin' })
  const [own] = data ?? []
  if (actor.scope === 'admin' || own === undefined) return null
  return (
    <Banner
      tone="warn"
      title="You already have an outbound call routing"
      action={
        <ScreenLink to={editRouting} params={{ lcr_sid: own.lcr_sid }} className={buttonClass('secondary', 'small')}>
          Edit it
        </ScreenLink>
      }
    >
      Only one is allowed, so you can’t save another.
    </Banner>
  )
}

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () =>
    queryClient.ensureQueryData(
      carriersToChooseQuery(await likelyProvider(), requiredSession().actor.account_sid ?? '', ''),
    ),
  )

/** The form is shown after the carriers have loaded, because it is blocked if there are none. */
export const AddOutboundRoutesPage = (): ReactNode => {
  const service_provider_sid = useProviderSid()
  const carriers = useQuery(carriersToChooseQuery(service_provider_sid, requiredSession().actor.account_sid ?? '', ''))
  return (
    <>
      <ScreenHeader
        screen={addRouting}
        description="Routes outbound calls to carriers. The first route that matches the number applies."
      />
      {carriers.data ? <AddForm /> : <FormLoading queries={[carriers]} sections={2} />}
    </>
  )
}

/** Creates an outbound routing for an account, or for the whole service provider. */
const AddForm = () => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const go = useNavigateTo()
  const isAdmin = actor.scope === 'admin'
  /** SID of a routing that was created although its routes could not be saved. The next save finishes it. */
  const [createdSid, setCreatedSid] = useState<string>()

  const create = useAction({
    run: async (values: LcrValues) => {
      if (createdSid === undefined) return createLcr(values, service_provider_sid)
      await changeLcr(createdSid, values, [])
      return createdSid
    },
    done: () => 'Least cost routing successfully created',
    changes: [['lcrs']],
  })
  const state = useRecordForm({
    schema: lcrValues,
    stored: useMemo(() => ({ ...emptyLcr, account_sid: actor.account_sid ?? '' }), [actor.account_sid]),
    toFieldErrors: lcrFieldErrors,
    save: async (values) => {
      const lcr_sid = await create.mutateAsync(values, {
        onError: (error) => setCreatedSid(getCreatedSid(error) ?? createdSid),
      })
      highlightRow(routingList, lcr_sid)
      await (isAdmin
        ? go({ ...listBackLink(routingList), ignoreBlocker: true })
        : go({ to: editRouting, params: { lcr_sid }, ignoreBlocker: true }))
    },
  })
  const noCarriers = useNoCarriers(useWatch({ control: state.form.control, name: 'account_sid' }))
  return (
    <>
      <NoCarriers reason={noCarriers} />
      <RecordForm label="Add outbound call routes" state={state} blocked={noCarriers} list={isAdmin && routingList}>
        <AlreadyThere />
        <DetailsSection lcr_sid={createdSid} />
        <RoutesSection />
      </RecordForm>
    </>
  )
}
