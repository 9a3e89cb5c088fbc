import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./shell/world.ts";
const L:Record<string,(n:number)=>string>={cw:n=>"cargo watch -- "+"env ".repeat(n/4)+"ls", my:n=>"mytool "+"git ".repeat(n/4)+"push", my2:n=>"mytool "+"env ".repeat(n/4)+"ls", npx:n=>"npx "+"env ".repeat(n/4)+"ls", rm:n=>"mytool "+"rm ".repeat(n/3)+"/x",nd:n=>"mytool "+"node ".repeat(n/5)+"-e 1",rr:n=>"mytool "+"rimraf ".repeat(n/7)+"/x",wr:n=>"npx "+"rm -rf /x ".repeat(n/10), pr:n=>"mytool "+"npm -- ".repeat(n/7), cw3:n=>"cargo watch "+"-x git ".repeat(n/7), cw2:n=>"cargo watch -- "+"git ".repeat(n/4)};
const [k,n]=process.argv.slice(2);
for (const m of [Number(n)/2, Number(n)]) { const c=process.cpuUsage(); const r=lowerShell(L[k!]!(m),{world:smallWorld(),shell:"any"}); const d=process.cpuUsage(c); console.log(k,m,Math.round((d.user+d.system)/1000)+"ms",r.actions.length,r.unknowns.map(u=>u.reason.slice(0,60)).slice(0,3)); }
