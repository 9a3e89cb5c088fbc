/** For scripts of pages that speak with passkeys: base64url, in which their parts are written, to bytes and back. */
export const CODED_SCRIPT = `const bytes=(text)=>Uint8Array.from(atob(text.replace(/-/g,"+").replace(/_/g,"/")),(sign)=>sign.charCodeAt(0));
const text=(buffer)=>btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g,"-").replace(/\\//g,"_").replace(/=+$/,"");
`;
