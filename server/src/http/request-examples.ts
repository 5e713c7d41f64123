/** Request bodies for the API documentation, by endpoint. A test checks that the endpoints accept them. */
export const requestExamples: Readonly<Record<string, object>> = {
  'POST /login': { username: 'admin', password: 'correct horse battery staple' },
  'POST /Accounts': {
    name: 'Acme',
    service_provider_sid: '2708b1b3-2736-40ea-b502-c53d8396247f',
    sip_realm: 'acme.sip.example.com',
  },
  'POST /Users': {
    name: 'jane',
    email: 'jane@example.com',
    initial_password: 'change me soon',
    force_change: true,
    account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
  },
  'POST /Applications': {
    name: 'Reception',
    account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    call_hook: { url: 'https://apps.example.com/call', method: 'POST' },
    call_status_hook: { url: 'https://apps.example.com/status', method: 'POST' },
  },
  'POST /VoipCarriers': {
    name: 'Example Telecom',
    account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    e164_leading_plus: true,
  },
  'POST /SipGateways': {
    voip_carrier_sid: '287c1452-620d-4195-9f19-c9814ef90d78',
    ipv4: '203.0.113.7',
    port: 5060,
    inbound: true,
    outbound: true,
  },
  'POST /patchbay/Accounts/:account_sid/ConversationEvents': {
    call_sid: '3c90c3cc-0d44-4b50-8888-8dd25736052a',
    at: '2026-11-02T10:00:04.500Z',
    seq: 12,
    event: { type: 'user_transcript', transcript: 'I would like to change my flight.' },
  },
  'POST /PhoneNumbers': {
    number: '15083084809',
    voip_carrier_sid: '287c1452-620d-4195-9f19-c9814ef90d78',
    account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    application_sid: '7087fe50-8acb-4f3b-b820-97b573723aab',
  },
  'POST /Accounts/:account_sid/Calls': {
    application_sid: '7087fe50-8acb-4f3b-b820-97b573723aab',
    from: '15083084809',
    to: { type: 'phone', number: '12125550123' },
  },
  'POST /MicrosoftTeamsTenants': {
    service_provider_sid: '2708b1b3-2736-40ea-b502-c53d8396247f',
    account_sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    tenant_fqdn: 'customer.teams.example.com',
  },
}
