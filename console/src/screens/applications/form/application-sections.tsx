import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { useProviderSid } from '../../../session/current-provider.ts'
import { requiredSession } from '../../../session/session.ts'
import { ApplicationSection } from './application-section.tsx'
import { CallsSection } from './calls-section.tsx'
import { HooksSection } from './hooks-section.tsx'

/** Loaded separately because it contains the vendor catalog. */
const SpeechSection = lazyPart('speech', async () => (await import('./speech-section.tsx')).SpeechSection)

/** All form sections of a new or an existing application. */
export const ApplicationSections = ({ application_sid }: { application_sid?: string }) => {
  const service_provider_sid = useProviderSid()
  const chooses = requiredSession().actor.scope !== 'account'
  return (
    <>
      <ApplicationSection
        {...(application_sid === undefined ? {} : { application_sid })}
        service_provider_sid={chooses ? service_provider_sid : undefined}
      />
      <HooksSection />
      <SpeechSection />
      <CallsSection />
    </>
  )
}
